// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetWire

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A response of 400 or more whose body broke off or stalled: what came of it still tells whether it is a refusal.
package struct PartialResponse: Error, Masked {
    let data: Data
    let response: HTTPURLResponse
    /// What happened to the body, which is what callers get.
    package let error: any Error

    package var mask: String { "\(response.statusCode), and then \(error)" }
}
