// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetWire
import Hummingbird

/// What a browser keeps that has once shown the operators' password: its tries are counted by themselves, so strangers
/// cannot keep an operator out.
///
/// It opens nothing, and a new password voids it.
struct KnownOperatorBrowser: Sendable {
    static let cookie = PageCookie("operator-known", sameSite: .strict)
    /// Browsers keep no cookie for longer (RFC 6265bis section 5.5).
    static let lifetime = Duration.seconds(400 * 86_400)

    /// Which browser it is.
    let name: String

    /// A new browser's.
    init() { name = Base64URL.encode(SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) }) }

    /// What a request brings; `nil` without one, and with one of another password.
    init?(_ request: Request, credential: String) {
        let parts = Self.cookie.value(in: request)?.split(separator: ".").map(String.init) ?? []
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
