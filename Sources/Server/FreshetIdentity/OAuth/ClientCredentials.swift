// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetWire

/// The client ID and secret of a request, before they are verified.
struct ClientCredentials: Masked {
    var id: String
    /// The possible decodings of the secret; empty if the request has none.
    var secrets: [String]

    var mask: String { "ClientCredentials(\(id), •••)" }

    init(id: String, secrets: [String]) {
        (self.id, self.secrets) = (id, secrets)
    }

    /// Parses the value of an `Authorization` header field with Basic credentials.
    ///
    /// RFC 6749 section 2.3.1: both are form-encoded, then encoded as in RFC 7617; many libraries omit the former.
    init?(basic header: String) {
        guard let (user, secret) = AuthorizationField(header)?.basic, let id = Self.decoded(user) else { return nil }
        guard !secret.isEmpty else {
            self.init(id: id, secrets: [])
            return
        }
        let decoded = Self.decoded(secret).flatMap { $0.hasSameBytes(as: secret) ? nil : $0 }
        self.init(id: id, secrets: [decoded, secret].compactMap(\.self))
    }

    private static func decoded(_ text: String) -> String? {
        // Text, not fields: an ampersand separates nothing.
        let value = text.utf8.flatMap { $0 == UInt8(ascii: "&") ? Array("%26".utf8) : [$0] }
        return URLEncodedForm.decode("v=" + String(decoding: value, as: UTF8.self))?.first?.value
    }
}
