// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// When a JWT says that it was issued and ends.
///
/// Nothing here is trusted; it is advice about when to refresh.
struct JWTTimes: Equatable, Sendable {
    var issuedAt: Double?
    var expiresAt: Double?

    /// - Returns: `nil` for a token that is no readable JWT.
    init?(_ token: String) {
        guard let claims = UnverifiedJWT(token) else { return nil }
        self.init(claims)
    }

    init(_ claims: UnverifiedJWT) {
        // Each claim by itself: one that is no number says nothing about the other.
        issuedAt = claims.seconds("iat")
        expiresAt = claims.seconds("exp")
    }

    /// How long the token lives from the answer that brought it.
    ///
    /// It may be one that was issued before, so what the server's clock showed at its answer counts if it lies within the
    /// token's life. One that does not is wrong, and the token counts as new.
    func lifetime(serverTime: Double?) -> Double? {
        guard let expiresAt, var start = issuedAt ?? serverTime else { return nil }
        if let serverTime, start < serverTime, serverTime < expiresAt { start = serverTime }
        let lifetime = expiresAt - start
        return lifetime.isFinite ? lifetime : nil
    }
}
