// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetWire

/// What a browser's cookie holds: 32 random bytes, of which the server keeps nothing but a digest.
package struct SessionCookieValue: Equatable, Sendable {
    static let length = 32

    private let bytes: [UInt8]

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads what a cookie holds.
    ///
    /// - Returns: `nil` for anything that this server did not write.
    init?(_ text: String) {
        guard text.utf8.count == 43, let bytes = Base64URL.decode(text), bytes.count == Self.length else { return nil }
        self.init(bytes: bytes)
    }

    /// A new one from the system's secure source.
    static func random() -> SessionCookieValue {
        SessionCookieValue(bytes: SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) })
    }

    /// The text for the cookie.
    var text: String { Base64URL.encode(bytes) }

    /// What a table holds of it.
    var digest: Data { Data(SHA256.hash(data: Data("freshet-page1\0".utf8) + bytes)) }

    /// The word that every form of this browser carries; it says nothing of the secret.
    var formToken: String { Base64URL.encode(Array(code("form"))) }

    /// Whether a form carries the word, compared in a time that does not tell where they differ.
    func accepts(_ formToken: String) -> Bool {
        guard let bytes = Base64URL.decode(formToken) else { return false }
        return HMAC<SHA256>.isValidAuthenticationCode(bytes, authenticating: Self.message("form"), using: key)
    }

    /// Marks this browser's tries to sign in, so that a form sent twice opens one session.
    var intent: Intent? { Intent(bytes: Array(code("intent")).prefix(Intent.length)) }

    private var key: SymmetricKey { SymmetricKey(data: bytes) }

    private func code(_ purpose: String) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>.authenticationCode(for: Self.message(purpose), using: key)
    }

    private static func message(_ purpose: String) -> Data { Data("freshet-page-\(purpose)1".utf8) }
}

extension SessionCookieValue: Masked {
    package var mask: String { "page secret •••" }
}
