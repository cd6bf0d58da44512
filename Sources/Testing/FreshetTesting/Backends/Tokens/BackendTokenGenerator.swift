// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// The texts of tokens that a backend's double hands out.
enum BackendTokenGenerator {
    /// A JWT that looks like any other, and whose signature nobody can check: the double knows it by heart.
    static func access(for user: BackendUser, issuedAt: Int, expiresAt: Int) -> String {
        let header = #"{"alg":"HS256","typ":"JWT"}"#
        // Three of these in a row leave a "_" and a "-" in base64url: who decodes plain base64 fails at every token.
        let note = "???>>>"
        let payload = """
            {"sub":"\(user.id)","iat":\(issuedAt),"exp":\(expiresAt),"jti":"\(UUID().uuidString.lowercased())",\
            "note":"\(note)"}
            """
        return [Data(header.utf8), Data(payload.utf8), randomBytes()].map(base64URL).joined(separator: ".")
    }

    /// An access token that says nothing.
    static func opaqueAccess() -> String { "at_" + base64URL(randomBytes()) }

    /// A refresh token, which says nothing.
    static func refresh() -> String { refreshPrefix + base64URL(randomBytes()) }

    /// What every refresh token of a double begins with.
    static let refreshPrefix = "rt_"

    /// The claims of a JWT; `nil` if it is none.
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
