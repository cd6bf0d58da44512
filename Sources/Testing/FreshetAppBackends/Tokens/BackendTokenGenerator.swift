// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// A generator of the tokens that a fake backend issues.
enum BackendTokenGenerator {
    /// Returns a JWT with a random signature.
    ///
    /// The backend does not verify tokens, but looks them up.
    static func access(for user: BackendUser, issuedAt: Int, expiresAt: Int) -> String {
        let header = #"{"alg":"HS256","typ":"JWT"}"#
        // Three of each character produce a "_" and a "-" in the base64url text, so that a plain base64 decoder fails
        // for every token.
        let note = "???>>>"
        let payload = """
            {"sub":"\(user.id)","iat":\(issuedAt),"exp":\(expiresAt),"jti":"\(UUID().uuidString.lowercased())",\
            "note":"\(note)"}
            """
        return [Data(header.utf8), Data(payload.utf8), randomBytes()].map(base64URL).joined(separator: ".")
    }

    /// Returns an opaque access token.
    static func opaqueAccess() -> String { "at_" + base64URL(randomBytes()) }

    /// Returns a refresh token, which is opaque.
    static func refresh() -> String { refreshPrefix + base64URL(randomBytes()) }

    /// The prefix of every refresh token of a fake backend.
    static let refreshPrefix = "rt_"

    /// Returns the claims of a JWT; `nil` if the token is not a JWT.
    static func claims(of token: String) -> [String: Any]? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let standard = parts[1].replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - standard.count % 4) % 4)
        guard let bytes = Data(base64Encoded: standard + padding) else { return nil }
        return (try? JSONSerialization.jsonObject(with: bytes)) as? [String: Any]
    }

    private static func base64URL(_ bytes: Data) -> String {
        bytes.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private static func randomBytes() -> Data {
        Data((0..<4).flatMap { _ in withUnsafeBytes(of: UInt64.random(in: .min ... .max)) { Array($0) } })
    }
}
