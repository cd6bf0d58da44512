// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetEngine
import FreshetWire
import HTTPTypes

/// A client's opening handshake, without its authentication (RFC 6455 section 4.2.1).
struct SocketHandshake: Sendable {
    private let key: String
    /// The subprotocols that the client offers, in order.
    let offered: [String]

    /// Validates a request.
    ///
    /// - Throws: `upgradeRequired` for a request without a WebSocket upgrade, or with another version; `invalidRequest`
    ///   for an incomplete handshake.
    init(_ head: HTTPRequest) throws(APIError) {
        let fields = head.headerFields
        guard head.method == .get, Self.names(.upgrade, in: fields).contains("websocket") else {
            throw APIError(.upgradeRequired, "this path is a socket: open it as RFC 6455 says")
        }
        guard Self.names(.connection, in: fields).contains("upgrade") else {
            throw APIError(.invalidRequest, "a handshake has Connection: Upgrade; a proxy may have dropped it")
        }
        guard fields[values: .secWebSocketVersion] == ["13"] else {
            throw APIError(.upgradeRequired, "Sec-WebSocket-Version is 13")
        }
        let keys = fields[values: .secWebSocketKey]
        guard keys.count == 1, Data(base64Encoded: keys[0])?.count == 16 else {
            throw APIError(.invalidRequest, "Sec-WebSocket-Key is sixteen bytes in base64")
        }
        guard !Self.hasBody(head) else { throw APIError(.invalidRequest, "a handshake has no body") }
        key = keys[0]
        offered = Self.listed(.secWebSocketProtocol, in: fields)
    }

    /// The value of `Sec-WebSocket-Accept` (section 4.2.2).
    var accept: String {
        let text = key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        return Data(Insecure.SHA1.hash(data: Data(text.utf8))).base64EncodedString()
    }

    /// Whether the request asks to switch from HTTP/1.1 to any other protocol.
    ///
    /// NIO's decoder reads nothing after such a request, so it is the last request of the connection.
    static func requestsUpgrade(_ head: HTTPRequest) -> Bool {
        if head.method == .connect { return true }
        return head.headerFields[.upgrade] != nil && names(.connection, in: head.headerFields).contains("upgrade")
    }

    static func hasBody(_ head: HTTPRequest) -> Bool {
        head.headerFields[.transferEncoding] != nil || (head.headerFields[.contentLength] ?? "0") != "0"
    }

    /// Returns the elements of a list in lower case; those of other characters than ASCII name nothing.
    private static func names(_ name: HTTPField.Name, in fields: HTTPFields) -> [String] {
        listed(name, in: fields).filter { $0.utf8.allSatisfy { $0 < 0x80 } }.map { $0.lowercased() }
    }

    /// Returns the elements of a list (RFC 9110 section 5.6.1).
    private static func listed(_ name: HTTPField.Name, in fields: HTTPFields) -> [String] {
        // Bytes, as a character may be a comma with a combining mark, and other spaces are part of a value.
        fields[values: name].flatMap { $0.utf8.split(separator: UInt8(ascii: ",")) }
            .map { String(Substring($0)).trimmingCharacters(in: CharacterSet(charactersIn: " \t")) }
            .filter { !$0.isEmpty }
    }
}
