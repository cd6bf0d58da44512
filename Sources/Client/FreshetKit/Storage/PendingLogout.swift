// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetWire

/// A sign-out that the server has yet to hear of.
///
/// The tokens are kept for that purpose alone.
struct PendingLogout: Codable, Hashable, Sendable, Masked {
    /// Which server it concerns; the token goes nowhere else.
    var origin: String
    var sessionID: String
    var refreshToken: String?
    /// For backends that are told of a sign-out with it.
    var accessToken: String?

    /// - Returns: `nil` if the server need not hear of it.
    init?(origin: String, session: StoredSession, credentials: LogoutCredentials) {
        guard credentials != .none else { return nil }
        self.origin = origin
        sessionID = session.id
        refreshToken = session.refreshToken
        accessToken = credentials == .bothTokens ? session.accessToken : nil
    }

    /// Whether telling the server of this sign-out would end `session`, which is in use.
    func wouldEnd(_ session: StoredSession) -> Bool {
        if sessionID == session.id { return true }
        return refreshToken.map { $0 == session.refreshToken } ?? (accessToken == session.accessToken)
    }

    var mask: String { "PendingLogout(\(sessionID), •••)" }
}
