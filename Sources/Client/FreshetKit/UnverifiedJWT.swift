// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
internal import FreshetContract
internal import FreshetWire

/// The claims of a JSON Web Token, read without verifying its signature (RFC 7519).
///
/// Any client can write such a token, so use the claims only as a hint: for a greeting, or for when to refresh.
/// Authorization is up to the server, which verifies. The description is redacted, since claims identify the user.
public struct UnverifiedJWT: Sendable, Equatable {
    /// The claims as the token contains them: a JSON object.
    public let payload: Data
    private let claims: JSONValue

    /// Parses a token's claims.
    ///
    /// - Parameter token: A token of three parts (RFC 7515 section 7.1). The standard alphabet and padding of base64
    ///   are accepted as well, because some servers use them. `nil` for a string that is not a JWT, is longer than 64
    ///   KiB, or whose claims are not a JSON object.
    public init?(_ token: String) {
        // Each refresh reads two tokens, and characters take ten times as long as bytes.
        guard token.utf8.count <= 64 * 1024 else { return nil }
        let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let text = parts[1].prefix { $0 != UInt8(ascii: "=") }.map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        guard let bytes = Base64URL.decode(utf8: text) else { return nil }
        let payload = Data(bytes)
        guard let claims = try? JSONParser.parse(payload), claims.object != nil else { return nil }
        self.payload = payload
        self.claims = claims
    }

    /// The issuer of the token (`iss`).
    public var issuer: String? { text("iss") }
    /// The subject of the token (`sub`); a number is converted to a string.
    public var subject: String? { text("sub") }
    /// The audience of the token (`aud`), one or several.
    public var audience: [String] {
        guard let value = self["aud"] else { return [] }
        return value.array?.compactMap(\.string) ?? value.string.map { [$0] } ?? []
    }
    /// The expiry of the token, by the server's clock (`exp`).
    public var expiresAt: Date? { seconds("exp").map(Date.init(timeIntervalSince1970:)) }
    /// The time before which the token is not valid, by the server's clock (`nbf`).
    public var notBefore: Date? { seconds("nbf").map(Date.init(timeIntervalSince1970:)) }
    /// The time at which the token was issued, by the server's clock (`iat`).
    public var issuedAt: Date? { seconds("iat").map(Date.init(timeIntervalSince1970:)) }
    /// The token's ID (`jti`).
    public var id: String? { text("jti") }

    /// Returns a string or number claim as a string; `nil` for another type, or an empty string.
    public func text(_ claim: String) -> String? { self[claim]?.text }

    /// Decodes the app's own claims.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - decoder: The decoder. The default decodes dates as seconds since 1970.
    /// - Returns: The claims.
    /// - Throws: `DecodingError` if they do not match the type.
    public func decode<Claims: Decodable>(_ type: Claims.Type, by decoder: JSONDecoder? = nil) throws -> Claims {
        if let decoder { return try decoder.decode(type, from: payload) }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        return try decoder.decode(type, from: payload)
    }

    /// The value of a claim; a name that starts with `/` is a JSON pointer.
    subscript(_ name: String) -> JSONValue? {
        if name.hasPrefix("/"), let pointer = JSONPointer(name) { return pointer.value(in: claims) }
        return claims.object?[name]
    }

    /// Returns a time in seconds since 1970, also from a numeric string; `nil` if it is not finite.
    func seconds(_ claim: String) -> Double? { self[claim]?.double.flatMap { $0.isFinite ? $0 : nil } }
}

extension UnverifiedJWT: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A redacted description.
    public var description: String { "UnverifiedJWT(•••)" }
    /// A redacted description.
    public var debugDescription: String { description }
    /// An empty mirror: `dump` shows no contents.
    public var customMirror: Mirror { .concealing(self) }
}
