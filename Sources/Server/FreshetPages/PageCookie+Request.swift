// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetHTTP
import HTTPTypes
import Hummingbird

extension PageCookie {
    /// Returns the cookie's value in a request.
    func value(in request: Request) -> String? { CookieField.value(of: name, in: request.headers[values: .cookie]) }
}
