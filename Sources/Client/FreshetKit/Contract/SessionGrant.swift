// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetWire

/// The tokens that a contract read from the response to a sign-in or a refresh.
struct SessionGrant: Equatable, Sendable, Masked {
    /// The server's ID of the session, if it has one.
    var sessionID: String?
    /// The number of refreshes that led to the refresh token, if the token contains it.
    var generation: UInt64?
    var accessToken: String
    /// The refresh token; `nil` if the response has none, so that the previous one is kept.
    var refreshToken: String?
    /// The access token's lifetime, counted from the time of the request.
    var lifetime: Duration
    /// The source of the lifetime.
    var expirySource = AccessTokenReport.Source.assumed
    /// The delay after which the server suggests the next refresh, counted from the time of the request.
    var refreshAfter: Duration?
    /// The session's user, by each source that has a value, the best first.
    var users: [User] = []
    var email: String?
    /// The session's remaining lifetime, counted from the time of the request.
    var sessionLifetime: Duration?
    /// Whether a refresh extends the session's expiry.
    var isSessionExtended = false

    init(
        accessToken: String,
        refreshToken: String?,
        lifetime: Duration,
        userID: String? = nil,
        email: String? = nil
    ) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.lifetime = lifetime
        users = userID.map { [User(id: $0)] } ?? []
        self.email = email
    }

    /// A user's ID by one source.
    ///
    /// Two sources may identify a user differently, such as a number in the body and a UUID in the token, so that only
    /// IDs of the same source can be compared.
    struct User: Equatable, Sendable {
        var id: String
        /// The contract's source as text; `nil` for an ID that the app provided.
        var source: String?
        /// Whether the ID comes from the response itself, not from a token.
        var isInAnswer = true
    }

    var userID: String? { users.first?.id }

    /// Whether the grant is for another user than `userID`.
    ///
    /// - Parameters:
    ///   - userID: The user of the session that the grant is for.
    ///   - source: The source of that ID; `nil` if the app provided the ID, or if the stored session does not contain
    ///     the source. Such IDs come from responses, never from tokens.
    /// - Returns: `false` if the two cannot be compared.
    func contradicts(_ userID: String?, from source: String?) -> Bool {
        guard let userID else { return false }
        let comparable = users.filter { source == nil ? $0.isInAnswer : $0.source == source }
        return !comparable.isEmpty && !comparable.contains { $0.id.hasSameBytes(as: userID) }
    }

    var mask: String { "SessionGrant(\(sessionID ?? "unnamed"), •••)" }
}
