// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetWire
import Hummingbird

/// A cookie that marks a browser in which an operator signed in before.
///
/// Sign-in attempts from such a browser have separate rate limits, so attackers cannot lock out the operators. The
/// cookie grants no access, and a new password invalidates it.
struct KnownOperatorBrowser: Sendable {
    static let cookie = PageCookie("operator-known", sameSite: .strict)
    /// Browsers store no cookie for longer (RFC 6265bis section 5.5).
    static let lifetime = Duration.seconds(400 * 86_400)

    /// The ID of the browser.
    let name: String

    /// Creates the cookie of a new browser.
    init() { name = Base64URL.encode(SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) }) }

    /// Parses the cookie of a request; `nil` if there is none, or if it was created with another password.
    init?(_ request: Request, credential: String) {
        let parts = Self.cookie.value(in: request)?.unicodeScalars.split(separator: ".").map(String.init) ?? []
        guard parts.count == 2, parts[0].utf8.count == 22, let code = Base64URL.decode(parts[1]),
            HMAC<SHA256>.isValidAuthenticationCode(
                code,
                authenticating: Data(parts[0].utf8),
                using: Self.key(credential)
            )
        else { return nil }
        name = parts[0]
    }

    /// The cookie's value.
    func value(credential: String) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: Data(name.utf8), using: Self.key(credential))
        return "\(name).\(Base64URL.encode(Array(code)))"
    }

    private static func key(_ credential: String) -> SymmetricKey {
        SymmetricKey(data: SHA256.hash(data: Data("freshet-operator-mark1\0\(credential)".utf8)))
    }
}
