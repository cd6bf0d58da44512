// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import FreshetEngine
import FreshetWire
import HTTPTypes

extension SocketEndpointPolicy {
    /// Returns the tokens in a handshake's header fields and subprotocols, from the places that the policy accepts.
    ///
    /// - Throws: `invalidToken` if a header field is not a token of the right scheme.
    func tokens(in fields: HTTPFields, _ handshake: SocketHandshake) throws(APIError) -> [String] {
        var tokens: [String] = []
        for place in tokenLocations {
            switch place {
            case .header(let name, let scheme):
                guard let name = HTTPField.Name(name) else { continue }
                tokens += try fields[values: name].map { field throws(APIError) in
                    guard let token = Self.token(in: field, scheme) else { throw APIError(.invalidToken) }
                    return token
                }
            case .subprotocol(let template):
                tokens += handshake.offered.compactMap { template.values(in: $0)?["access_token"] }
            case .query, .message: break
            }
        }
        return tokens
    }

    private static func token(in field: String, _ scheme: String) -> String? {
        guard !scheme.isEmpty else { return field }
        // Bytes, as a character may be a space with a combining mark.
        let parts = field.utf8.split(separator: UInt8(ascii: " "), maxSplits: 1).map { String(Substring($0)) }
        return parts.count == 2 && parts[0].lowercased() == scheme.lowercased() ? parts[1] : nil
    }

    /// Returns the subprotocol to select among those offered; never one that contains a token.
    func selected(_ handshake: SocketHandshake) -> String? {
        if let subprotocol { return handshake.offered.first { $0 == subprotocol } }
        for case .subprotocol(let template) in tokenLocations {
            // The contract has no other subprotocol, and browsers fail the connection if none of theirs is selected.
            return handshake.offered.first { template.values(in: $0) == nil }
        }
        return nil
    }
}
