// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetWire

/// What a contract read from the answer to a sign-in or a refresh.
struct SessionGrant: Equatable, Sendable, Masked {
    /// The server's name for the session, if it has one.
    var sessionID: String?
    /// How many refreshes led to the refresh token, if it says so itself.
    var generation: UInt64?
    var accessToken: String
    /// None came: the one before stays, if there was one.
    var refreshToken: String?
    /// How long the access token lives, counted from when it was asked for.
    var lifetime: Duration
    /// Where the lifetime comes from.
    var expirySource = AccessTokenReport.Source.assumed
    /// When the server would like to be asked again, counted from when the token was asked for.
    var refreshAfter: Duration?
    /// Whose session it is, by each source that says so, the best first.
    var users: [User] = []
    var email: String?
    /// How long the session itself lasts, counted from when it was asked for.
    var sessionLifetime: Duration?
    /// Whether a refresh moves the session's end.
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

    /// A user's ID as one source has it.
    ///
    /// Two sources may name one user differently, such as a number in the body and a UUID in the token, so that IDs of one
    /// source alone can be compared.
    struct User: Equatable, Sendable {
        var id: String
        /// The contract's source as text; `nil` for an ID that the app gave.
        var source: String?
        /// Whether the answer itself has it, and no token.
        var isInAnswer = true
    }

    var userID: String? { users.first?.id }

    /// Whether the grant is for another user than the one that `source` named.
    ///
    /// - Parameters:
    ///   - userID: The user of the session that the grant is for.
    ///   - source: Where the ID came from; `nil` for one that the app gave, or that a record has without its source. Those
    ///     came from answers, never from tokens.
    /// - Returns: `false` where the two cannot be compared.
    func contradicts(_ userID: String?, from source: String?) -> Bool {
        guard let userID else { return false }
        let comparable = users.filter { source == nil ? $0.isInAnswer : $0.source == source }
        return !comparable.isEmpty && !comparable.contains { $0.id == userID }
    }

    var mask: String { "SessionGrant(\(sessionID ?? "unnamed"), •••)" }
}
