// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
internal import FreshetContract
internal import FreshetWire

/// The claims of a JSON Web Token, read without verifying its signature (RFC 7519).
///
/// Any client can write such a token, so the claims are a hint: for a name to greet, or for when to refresh. Whatever decides
/// about rights is up to the server, which verifies. It prints a mask, since claims say who the user is.
public struct UnverifiedJWT: Sendable, Equatable {
    /// The claims as they stand in the token: a JSON object.
    public let payload: Data
    private let claims: JSONValue

    /// Reads a token's claims.
    ///
    /// - Parameter token: A token of three parts (RFC 7515 section 7.1). The standard alphabet and padding of base64 are
    ///   accepted as well, because some servers write them. A text that is no JWT, is longer than 64 KiB, or whose claims are
    ///   no JSON object, gives `nil`.
    public init?(_ token: String) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, token.utf8.count <= 64 * 1024 else { return nil }
        let text = parts[1].replacing("+", with: "-").replacing("/", with: "_").prefix { $0 != "=" }
        guard let bytes = Base64URL.decode(text) else { return nil }
        let payload = Data(bytes)
        guard let claims = try? JSONParser.parse(payload), claims.object != nil else { return nil }
        self.payload = payload
        self.claims = claims
    }

    /// Who issued the token (`iss`).
    public var issuer: String? { text("iss") }
    /// Whom the token is about (`sub`); a number is given as text.
    public var subject: String? { text("sub") }
    /// Whom the token is for (`aud`), one or several.
    public var audience: [String] {
        guard let value = self["aud"] else { return [] }
        return value.array?.compactMap(\.string) ?? value.string.map { [$0] } ?? []
    }
    /// When the token expires, by the server's clock (`exp`).
    public var expiresAt: Date? { seconds("exp").map(Date.init(timeIntervalSince1970:)) }
    /// Before when the token is not valid, by the server's clock (`nbf`).
    public var notBefore: Date? { seconds("nbf").map(Date.init(timeIntervalSince1970:)) }
    /// When the token was issued, by the server's clock (`iat`).
    public var issuedAt: Date? { seconds("iat").map(Date.init(timeIntervalSince1970:)) }
    /// The token's own identifier (`jti`).
    public var id: String? { text("jti") }

    /// A claim that is a text or a number, as text; `nil` for one that is neither, or empty.
    public func text(_ claim: String) -> String? { self[claim]?.text }

    /// Decodes claims of the app's own.
    ///
    /// - Parameters:
    ///   - type: What to decode.
    ///   - decoder: How; dates in claims are seconds since 1970, so the default reads them so.
    /// - Returns: The claims.
    /// - Throws: `DecodingError` if they are not as the type wants them.
    public func decode<Claims: Decodable>(_ type: Claims.Type, by decoder: JSONDecoder? = nil) throws -> Claims {
        if let decoder { return try decoder.decode(type, from: payload) }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        return try decoder.decode(type, from: payload)
    }

    /// The value of a claim; a name that begins with `/` is a JSON pointer.
    subscript(_ name: String) -> JSONValue? {
        if name.hasPrefix("/"), let pointer = JSONPointer(name) { return pointer.value(in: claims) }
        return claims.object?[name]
    }

    /// A time in seconds since 1970; a text that spells a number counts, one that is no finite number does not.
    func seconds(_ claim: String) -> Double? { self[claim]?.double.flatMap { $0.isFinite ? $0 : nil } }
}

extension UnverifiedJWT: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A mask.
    public var description: String { "UnverifiedJWT(•••)" }
    /// A mask.
    public var debugDescription: String { description }
    /// Shows nothing.
    public var customMirror: Mirror { .concealing(self) }
}
