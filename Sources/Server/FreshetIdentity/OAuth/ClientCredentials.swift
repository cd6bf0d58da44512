// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
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
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic", let data = Data(base64Encoded: String(parts[1])),
            let text = String(utf8: data), let colon = text.firstIndex(of: ":"),
            let id = Self.decoded(text[..<colon])
        else { return nil }
        let secret = text[text.index(after: colon)...]
        guard !secret.isEmpty else {
            self.init(id: id, secrets: [])
            return
        }
        let secrets = [Self.decoded(secret)].compactMap(\.self).filter { $0 != secret } + [String(secret)]
        self.init(id: id, secrets: secrets)
    }

    private static func decoded(_ text: Substring) -> String? {
        text.replacing("+", with: " ").removingPercentEncoding
    }
}
