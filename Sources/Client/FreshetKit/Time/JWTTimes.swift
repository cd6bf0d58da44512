// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The issue time and expiry in a JWT's claims.
///
/// Not verified; only a hint for when to refresh.
struct JWTTimes: Equatable, Sendable {
    var issuedAt: Double?
    var expiresAt: Double?

    /// Parses a token; `nil` if it is not a readable JWT.
    init?(_ token: String) {
        guard let claims = UnverifiedJWT(token) else { return nil }
        self.init(claims)
    }

    init(_ claims: UnverifiedJWT) {
        // Read separately: an invalid claim does not invalidate the other.
        issuedAt = claims.seconds("iat")
        expiresAt = claims.seconds("exp")
    }

    /// Returns the token's lifetime from the response that contained it.
    ///
    /// The token may have been issued earlier, so the server's time of the response counts if it is within the token's
    /// validity. Otherwise that time is wrong, and the token counts as new.
    func lifetime(serverTime: Double?) -> Double? {
        guard let expiresAt, var start = issuedAt ?? serverTime else { return nil }
        if let serverTime, start < serverTime, serverTime < expiresAt { start = serverTime }
        let lifetime = expiresAt - start
        return lifetime.isFinite ? lifetime : nil
    }
}
