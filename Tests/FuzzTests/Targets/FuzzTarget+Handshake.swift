// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetContract
import FreshetEngine
import FreshetWire
import HTTPTypes

@testable import FreshetHTTP
@testable import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension FuzzTarget {
    /// The tokens, the subprotocol and the accepted key of a handshake with the native socket.
    private struct SocketOffer: Equatable {
        var tokens: [String]
        var selected: String?
        var accept: String
    }

    private static let nativeSocket = try? SocketEndpointPolicy.native()

    /// Compares the header fields of a handshake, an empty line and a first message with what a second reader finds, and
    /// reads what the client writes of a token.
    static func checkSocketHandshake(_ input: [UInt8]) throws -> Bool {
        let policy = try require(nativeSocket, "no policy")
        var rest = input[...]
        var fields = HTTPFields()
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = rest[..<end]
            rest = rest[(end + 1)...]
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { break }
            guard let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self)) else { continue }
            fields.append(HTTPField(name: name, value: trimmedField(line[(colon + 1)...])))
        }
        let head = HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/", headerFields: fields)
        let offer = readOffer(head, policy)
        let reference = referenceOffer(fields)
        try require(
            offer == reference,
            "\(offer.map { "\($0)" } ?? "refused") instead of \(reference.map { "\($0)" } ?? "refused")"
        )
        if let selected = offer?.selected { try require(selected == "freshet.v1", "\(selected) is selected") }
        let text = String(decoding: rest, as: UTF8.self)
        let hasToken = try checkFirstMessage(text, policy)
        try checkClientHandshake(text, policy)
        return offer != nil || hasToken
    }

    private static func readOffer(_ head: HTTPRequest, _ policy: SocketEndpointPolicy) -> SocketOffer? {
        guard let handshake = try? SocketHandshake(head),
            let tokens = try? policy.tokens(in: head.headerFields, handshake)
        else { return nil }
        return SocketOffer(tokens: tokens, selected: policy.selected(handshake), accept: handshake.accept)
    }

    // MARK: A reader of handshakes on bytes

    private static func trimmedField(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        Array(bytes.drop { [0x20, 0x09].contains($0) }.reversed().drop { [0x20, 0x09].contains($0) }.reversed())
    }

    private static func lowercased(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }

    /// RFC 6455 section 4.2.1, and the places of tokens that PROTOCOL.md defines.
    private static func referenceOffer(_ fields: HTTPFields) -> SocketOffer? {
        func values(_ name: String) -> [[UInt8]] {
            fields.filter { $0.name.canonicalName == name }.map { Array($0.value.utf8) }
        }
        // RFC 9110 section 5.6.1: empty elements are ignored.
        func list(_ name: String) -> [[UInt8]] {
            values(name).flatMap { $0.split(separator: UInt8(ascii: ",")) }.map(trimmedField).filter { !$0.isEmpty }
        }
        let keys = values("sec-websocket-key")
        guard list("upgrade").contains(where: { lowercased($0) == Array("websocket".utf8) }),
            list("connection").contains(where: { lowercased($0) == Array("upgrade".utf8) }),
            values("sec-websocket-version") == [Array("13".utf8)],
            keys.count == 1, isHandshakeKey(keys[0]),
            values("transfer-encoding").isEmpty,
            values("content-length").allSatisfy({ $0 == [0x30] }), values("content-length").count < 2
        else { return nil }
        var tokens: [String] = []
        for value in values("authorization") {
            let scheme = value.prefix { $0 != 0x20 }
            let token = value.dropFirst(scheme.count + 1)
            guard lowercased(scheme) == Array("bearer".utf8), !token.isEmpty else { return nil }
            tokens.append(String(decoding: token, as: UTF8.self))
        }
        let offered = list("sec-websocket-protocol")
        for name in offered where name.count > 7 && lowercased(name.prefix(7)) == Array("bearer.".utf8) {
            tokens.append(String(decoding: name.dropFirst(7), as: UTF8.self))
        }
        let digest = Insecure.SHA1.hash(data: Data(keys[0] + Array("258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)))
        return SocketOffer(
            tokens: tokens,
            selected: offered.contains(Array("freshet.v1".utf8)) ? "freshet.v1" : nil,
            accept: Data(digest).base64EncodedString()
        )
    }

    /// Whether a value is sixteen bytes in base64.
    private static func isHandshakeKey(_ bytes: [UInt8]) -> Bool {
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
        return bytes.count == 24 && bytes.prefix(22).allSatisfy(alphabet.contains) && bytes.suffix(2) == [0x3D, 0x3D]
    }

    // MARK: Messages with tokens

    private static let openClaims = AccessClaims(
        user: UUID(),
        session: .random(),
        issuedAt: Timestamp(milliseconds: 0),
        expiresAt: Timestamp(milliseconds: 1)
    )

    /// Compares the token of a message with the one that Foundation reads.
    private static func checkFirstMessage(_ text: String, _ policy: SocketEndpointPolicy) throws -> Bool {
        let message = SocketMessage.text(text)
        let action = SocketStateMachine(policy, nil).receive(message)
        let renewal = SocketStateMachine(policy, openClaims).receive(message)
        var object: [String: Any]?
        // Foundation drops byte order marks, and detects UTF-16 by zeros.
        if !text.utf8.contains(0), !text.unicodeScalars.contains("\u{FEFF}") {
            object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        }
        let token = object?["type"] as? String == "auth" ? object?["access_token"] as? String : nil
        switch action {
        case .check(let found):
            try require(!found.isEmpty, "an empty token")
            try require(renewal == action, "a first token, but no renewal")
            try require(token.map { found.hasSameBytes(as: $0) } ?? true, "Foundation reads another token")
            return true
        case .close(let status):
            try require(status == policy.invalid, "closes with \(status.code)")
            try require(renewal == .deliver, "a renewal, but no first token")
            let isParsed = (try? JSONParser.parse(text.utf8)) != nil
            try require(!isParsed || token?.isEmpty ?? true, "the token is not found")
            return false
        case .ignore, .deliver: throw FuzzFinding(description: "\(action) without a token")
        }
    }

    // MARK: The client's handshakes

    private static let baseURL = URL(string: "http://a.example")

    /// The native contract with its token in each place.
    private static let socketContracts: [Contract] = [
        #"{"header": "Authorization", "scheme": "Bearer"}"#, #"{"subprotocol": "bearer.$access_token"}"#,
        #"{"message": {"type": "auth", "access_token": "$access_token"}}"#,
    ].compactMap { place in
        guard var root = (try? Contract.named("freshet")).flatMap({ try? JSONParser.parse($0.text.utf8).object }),
            var socket = root["socket"]?.object
        else { return nil }
        socket["token"] = try? JSONParser.parse(place.utf8)
        root["socket"] = .object(socket)
        return try? Contract(json: Data(JSONValue.object(root).jsonText.utf8))
    }

    /// Reads the handshakes, first messages and renewals that the client writes of a token.
    private static func checkClientHandshake(_ text: String, _ policy: SocketEndpointPolicy) throws {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return }
        let baseURL = try require(baseURL, "no URL")
        let origin = try require(Origin(baseURL), "no origin")
        let token = AccessToken(value: text, expiresAt: .distantFuture, sessionID: "s")
        try require(socketContracts.count == 3, "\(socketContracts.count) contracts")
        for contract in socketContracts {
            let request = try require(noThrow: {
                try SocketRequest(
                    nil,
                    contract: contract,
                    baseURL: baseURL,
                    values: TemplateValues(),
                    origins: [origin],
                    protocols: ["freshet.v1"]
                )
            })
            // A token with other characters is not sent as a subprotocol.
            guard let handshake = try? request.handshake(with: token) else { continue }
            var fields: HTTPFields = [
                .upgrade: "websocket", .connection: "Upgrade", .secWebSocketVersion: "13",
                .secWebSocketKey: "dGhlIHNhbXBsZSBub25jZQ==",
                .secWebSocketProtocol: handshake.protocols.joined(separator: ", "),
            ]
            fields[.authorization] = handshake.request.value(forHTTPHeaderField: "Authorization")
            let head = HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/", headerFields: fields)
            let offer = try require(readOffer(head, policy), "the client's handshake is refused")
            try require(offer.selected == "freshet.v1", "the subprotocol is not selected")
            var tokens = offer.tokens
            if case .text(let message) = handshake.firstMessage {
                tokens.append(try require(Self.token(in: message, policy, nil), "the first message has no token"))
            }
            try require(tokens.map { Array($0.utf8) } == [Array(text.utf8)], "\(tokens.count) tokens, or another one")
            guard case .text(let message) = request.renewal(with: token) else { continue }
            let renewed = Self.token(in: message, policy, openClaims)
            try require(renewed?.hasSameBytes(as: text) == true, "the renewal has another token")
        }
    }

    private static func token(in message: String, _ policy: SocketEndpointPolicy, _ claims: AccessClaims?) -> String? {
        guard case .check(let token) = SocketStateMachine(policy, claims).receive(.text(message)) else { return nil }
        return token
    }
}
