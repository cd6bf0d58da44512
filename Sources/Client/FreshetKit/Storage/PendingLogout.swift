// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetWire

/// A sign-out that is not yet delivered to the server.
///
/// The tokens are stored only for this purpose.
struct PendingLogout: Codable, Hashable, Sendable, Masked {
    /// The origin of the server, the only one to which the token is sent.
    var origin: String
    var sessionID: String
    var refreshToken: String?
    /// The access token, for backends whose sign-out requires it.
    var accessToken: String?

    /// Creates the pending sign-out of a session; `nil` if the server does not have to be notified.
    init?(origin: String, session: StoredSession, credentials: LogoutCredentials) {
        guard credentials != .none else { return nil }
        self.origin = origin
        sessionID = session.id
        refreshToken = session.refreshToken
        accessToken = credentials == .bothTokens ? session.accessToken : nil
    }

    /// Whether the delivery of this sign-out would end `session`, which is in use.
    func wouldEnd(_ session: StoredSession) -> Bool {
        if sessionID == session.id { return true }
        return refreshToken.map { $0 == session.refreshToken } ?? (accessToken == session.accessToken)
    }

    var mask: String { "PendingLogout(\(sessionID), •••)" }
}
