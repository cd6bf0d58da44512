// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A parser of bytes from outside, with a property that each input must have.
///
/// The fuzzer in `Fuzz/` and the tests share these files.
enum FuzzTarget: String, CaseIterable, Sendable {
    case clientCredentials = "client-credentials"
    case clientRegistry = "client-registry"
    case contract
    case cookie
    case flatJSON = "flat-json"
    case form
    case forwarded
    case host
    case httpDate = "http-date"
    case httpParser = "http-parser"
    case json
    case jwks
    case jwt
    case keyDocument = "key-document"
    case legacyTokens = "legacy-tokens"
    case mailAddress = "mail-address"
    case outbox
    case refreshToken = "refresh-token"
    case reply
    case revocationCursor = "revocation-cursor"
    case revocationPage = "revocation-page"
    case sessionRecord = "session-record"
    case setCookie = "set-cookie"
    case socketHandshake = "socket-handshake"
    case template
    case traceParent = "traceparent"
    case webSocketClient = "websocket-client"
    case webSocketServer = "websocket-server"

    /// Parses an input, and checks the property.
    ///
    /// - Returns: Whether the parser accepted the input.
    /// - Throws: A ``FuzzFinding``.
    func check(_ input: [UInt8]) throws -> Bool {
        switch self {
        case .clientCredentials: try Self.checkClientCredentials(input)
        case .clientRegistry: try Self.checkClientRegistry(input)
        case .contract: try Self.checkContract(input)
        case .cookie: try Self.checkCookie(input)
        case .flatJSON: try Self.checkFlatJSON(input)
        case .form: try Self.checkForm(input)
        case .forwarded: try Self.checkForwarded(input)
        case .host: try Self.checkHost(input)
        case .httpDate: try Self.checkHTTPDate(input)
        case .httpParser: try DecoderComparison().compare(input) > 0
        case .json: try Self.checkJSON(input)
        case .jwks: try Self.checkKeySet(input)
        case .jwt: try Self.checkJWT(input)
        case .keyDocument: try Self.checkKeyDocument(input)
        case .legacyTokens: try Self.checkLegacyTokens(input)
        case .mailAddress: try Self.checkMailAddress(input)
        case .outbox: try Self.checkOutbox(input)
        case .refreshToken: try Self.checkRefreshToken(input)
        case .reply: try Self.checkReply(input)
        case .revocationCursor: try Self.checkRevocationCursor(input)
        case .revocationPage: try Self.checkRevocationPage(input)
        case .sessionRecord: try Self.checkSessionRecord(input)
        case .setCookie: try Self.checkSetCookie(input)
        case .socketHandshake: try Self.checkSocketHandshake(input)
        case .template: try Self.checkTemplate(input)
        case .traceParent: try Self.checkTraceParent(input)
        case .webSocketClient: try Self.checkWebSocketClient(input)
        case .webSocketServer: try Self.checkWebSocketServer(input)
        }
    }
}

/// An input without the property of its target.
struct FuzzFinding: Error, CustomStringConvertible {
    let description: String
}

extension FuzzTarget {
    static func require(_ condition: Bool, _ description: @autoclosure () -> String) throws {
        guard condition else { throw FuzzFinding(description: description()) }
    }

    /// Returns a value that must exist.
    static func require<Value>(_ value: Value?, _ description: @autoclosure () -> String) throws -> Value {
        guard let value else { throw FuzzFinding(description: description()) }
        return value
    }

    /// Returns the value of an expression that must not throw.
    static func require<Value>(noThrow value: () throws -> Value) throws -> Value {
        do { return try value() } catch { throw FuzzFinding(description: "\(error)") }
    }

    /// Cuts bytes at up to nine places that depend on them.
    static func pieces(of bytes: [UInt8]) -> [[UInt8]] {
        // FNV-1a, and a linear congruential generator.
        var state = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        func next(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(count))
        }
        let cuts = (0..<next(10)).map { _ in next(bytes.count + 1) }.sorted()
        return zip([0] + cuts, cuts + [bytes.count]).map { Array(bytes[$0..<$1]) }
    }
}
