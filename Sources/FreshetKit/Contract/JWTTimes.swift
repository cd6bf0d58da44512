// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetWire

/// When a JWT says that it was issued and ends.
///
/// Nothing here is trusted; it is advice about when to refresh.
struct JWTTimes: Equatable, Sendable {
    var issuedAt: Double?
    var expiresAt: Double?

    /// - Returns: `nil` for a token that is no readable JWT.
    init?(_ token: String) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, token.utf8.count <= 64 * 1024 else { return nil }
        // Some backends write the standard alphabet, or pad; for advice that is good enough.
        let text = parts[1].replacing("+", with: "-").replacing("/", with: "_").prefix { $0 != "=" }
        struct Claims: Decodable { var iat, exp: Double? }
        guard let bytes = Base64URL.decode(text),
            let claims = try? JSONDecoder().decode(Claims.self, from: Data(bytes))
        else { return nil }
        issuedAt = claims.iat
        expiresAt = claims.exp
    }

    /// How long the token lives in all, by its own account.
    ///
    /// The server's clock at its answer stands in for a missing `iat`.
    func lifetime(serverTime: Double?) -> Double? {
        guard let expiresAt, let start = issuedAt ?? serverTime else { return nil }
        let lifetime = expiresAt - start
        return lifetime.isFinite ? lifetime : nil
    }
}
