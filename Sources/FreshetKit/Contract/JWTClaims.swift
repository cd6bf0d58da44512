// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetContract
internal import FreshetWire

/// The claims of a JWT whose signature was not verified.
///
/// They are as good as the answer that brought the token, and say nothing about a token from elsewhere.
struct JWTClaims: Masked {
    private let claims: JSONValue

    /// - Returns: `nil` for a token that is no readable JWT.
    init?(_ token: String) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, token.utf8.count <= 64 * 1024 else { return nil }
        // Some backends write the standard alphabet, or pad.
        let text = parts[1].replacing("+", with: "-").replacing("/", with: "_").prefix { $0 != "=" }
        guard let bytes = Base64URL.decode(text), let claims = try? JSONReader.read(Data(bytes)),
            claims.object != nil
        else { return nil }
        self.claims = claims
    }

    /// The value of a claim; a name that begins with `/` is a JSON pointer.
    subscript(_ name: String) -> JSONValue? {
        if name.hasPrefix("/"), let pointer = JSONPointer(name) { return pointer.value(in: claims) }
        return claims.object?[name]
    }

    var mask: String { "JWTClaims(•••)" }
}
