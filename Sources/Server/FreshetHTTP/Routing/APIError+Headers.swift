// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetIdentity
import FreshetWire
package import HTTPTypes

extension APIError {
    /// The header fields that the standards require in addition to the body.
    package var headers: HTTPFields {
        var headers = HTTPFields()
        switch code {
        case .invalidToken:
            // RFC 6750 section 3.1: no error code if there was no token at all.
            headers[.wwwAuthenticate] =
                description == nil
                ? "Bearer" : #"Bearer error="invalid_token", error_description="\#(description ?? "")""#
        case .invalidClient:
            // RFC 6749 section 5.2 requires the scheme that a client may have used.
            headers[.wwwAuthenticate] = #"Basic realm="oauth", charset="UTF-8""#
        case .stepUpRequired:
            // RFC 9470 section 3.
            headers[.wwwAuthenticate] =
                #"Bearer error="insufficient_user_authentication", max_age=\#(StepUp.freshness.wholeSeconds)"#
        case .methodNotAllowed:
            headers[.allow] = allow.joined(separator: ", ")
        case .upgradeRequired:
            // RFC 9110 section 15.5.22, and RFC 6455 section 4.4 for the version.
            headers[.upgrade] = "websocket"
            headers[.connection] = "Upgrade"
            headers[.secWebSocketVersion] = "13"
        case .tooManyRequests, .unavailable:
            let wait = retryAfter ?? .seconds(1)
            headers[.retryAfter] = String(max(1, wait.components.seconds + (wait.components.attoseconds > 0 ? 1 : 0)))
        default:
            break
        }
        return headers
    }
}
