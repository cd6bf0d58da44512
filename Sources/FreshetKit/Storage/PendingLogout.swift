// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetWire

/// A sign-out that the server has yet to hear of.
///
/// The tokens are kept for that purpose alone.
struct PendingLogout: Codable, Equatable, Sendable, Masked {
    /// Which server it concerns; the token goes nowhere else.
    var origin: String
    var sessionID: String
    var refreshToken: String?
    /// For backends that are told of a sign-out with it.
    var accessToken: String?

    /// - Returns: `nil` if the server need not hear of it.
    init?(origin: String, session: StoredSession, proof: LogoutProof) {
        guard proof != .none else { return nil }
        self.origin = origin
        sessionID = session.id
        refreshToken = session.refreshToken
        accessToken = proof == .bothTokens ? session.accessToken : nil
    }

    var presented: PresentedTokens { PresentedTokens(refreshToken: refreshToken, accessToken: accessToken) }

    var mask: String { "PendingLogout(\(sessionID), •••)" }
}
