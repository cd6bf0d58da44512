// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The issue time and expiry in a JWT's claims.
///
/// They are not verified, and used only as a hint for the time of a refresh.
struct JWTTimes: Equatable, Sendable {
    var issuedAt: Double?
    var expiresAt: Double?

    /// Parses a token; `nil` if it is not a readable JWT.
    init?(_ token: String) {
        guard let claims = UnverifiedJWT(token) else { return nil }
        self.init(claims)
    }

    init(_ claims: UnverifiedJWT) {
        // The claims are read separately, so that an invalid one does not invalidate the other.
        issuedAt = claims.seconds("iat")
        expiresAt = claims.seconds("exp")
    }

    /// Returns the token's lifetime from the response that contained it.
    ///
    /// The token may have been issued before the response, so the lifetime starts at the server's time of the response,
    /// if that is within the token's validity. Otherwise the server's time is wrong, and the lifetime starts at the
    /// token's issue time.
    func lifetime(serverTime: Double?) -> Double? {
        guard let expiresAt, var start = issuedAt ?? serverTime else { return nil }
        if let serverTime, start < serverTime, serverTime < expiresAt { start = serverTime }
        let lifetime = expiresAt - start
        return lifetime.isFinite ? lifetime : nil
    }
}
