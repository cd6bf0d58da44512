// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetKit

extension URLSessionTransport {
    /// Sends the tests' own requests.
    ///
    /// On Linux, `URLSession.data(for:)` can deadlock with a cancellation that meets the response.
    static let shared = URLSessionTransport()
}
