// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire

/// The value of an `Authorization` header field (RFC 9110 section 11.6.2): a scheme and its credentials.
package struct AuthorizationField: Masked {
    /// The scheme in lower case, such as `bearer`.
    package let scheme: String
    /// The text after the scheme, such as a token.
    package let credentials: String

    package var mask: String { "AuthorizationField(\(scheme), •••)" }

    /// Parses a field's value; `nil` if nothing follows its scheme.
    package init?(_ text: String) {
        // Bytes, as a space with a combining mark is another character.
        guard let space = text.utf8.firstIndex(of: UInt8(ascii: " ")) else { return nil }
        scheme = text[..<space].lowercased()
        credentials = String(text[text.utf8.index(after: space)...])
        guard !scheme.isEmpty, !credentials.isEmpty else { return nil }
    }

    /// The user and password of Basic credentials (RFC 7617 section 2), of which the user has no colon.
    ///
    /// It is `nil` for another scheme, and for credentials without a colon or that are not UTF-8.
    package var basic: (user: String, password: String)? {
        guard scheme == "basic", let data = Data(base64Encoded: credentials), String(utf8: data) != nil,
            let colon = data.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        return (String(decoding: data[..<colon], as: UTF8.self), String(decoding: data[(colon + 1)...], as: UTF8.self))
    }
}
