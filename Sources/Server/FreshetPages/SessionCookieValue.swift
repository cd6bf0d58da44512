// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetWire

/// The value of a browser's cookie: 32 random bytes, of which the server stores only a digest.
struct SessionCookieValue: Equatable, Sendable {
    static let length = 32

    private let bytes: [UInt8]

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Parses a cookie's value.
    ///
    /// - Returns: `nil` for a value that this server cannot have generated.
    init?(_ text: String) {
        guard text.utf8.count == 43, let bytes = Base64URL.decode(text), bytes.count == Self.length else { return nil }
        self.init(bytes: bytes)
    }

    /// Generates a value with the system's secure random generator.
    static func random() -> SessionCookieValue {
        SessionCookieValue(bytes: SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) })
    }

    /// The encoded value for the cookie.
    var text: String { Base64URL.encode(bytes) }

    /// The digest that the database stores.
    var digest: Data { Data(SHA256.hash(data: Data("freshet-page1\0".utf8) + bytes)) }

    /// The CSRF token of this browser's forms, which does not reveal the value.
    var formToken: String { Base64URL.encode(Array(code("form"))) }

    /// Whether a form's CSRF token is valid, compared in constant time.
    func accepts(_ formToken: String) -> Bool {
        guard let bytes = Base64URL.decode(formToken) else { return false }
        return HMAC<SHA256>.isValidAuthenticationCode(bytes, authenticating: Self.message("form"), using: key)
    }

    /// Identifies this browser's sign-in attempts, so that a form sent twice opens one session.
    var intent: Intent? { Intent(bytes: Array(code("intent")).prefix(Intent.length)) }

    private var key: SymmetricKey { SymmetricKey(data: bytes) }

    private func code(_ purpose: String) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>.authenticationCode(for: Self.message(purpose), using: key)
    }

    private static func message(_ purpose: String) -> Data { Data("freshet-page-\(purpose)1".utf8) }
}

extension SessionCookieValue: Masked {
    var mask: String { "page secret •••" }
}
