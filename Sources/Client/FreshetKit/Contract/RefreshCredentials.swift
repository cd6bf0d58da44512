// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetWire

/// The credentials of a refresh: stored durably before they are sent, and the same in every retry.
struct RefreshCredentials: Equatable, Sendable, Masked {
    var sessionID: String
    var generation: UInt64
    var refreshToken: String?
    var accessToken: String
    /// Bound to the refresh token, where the contract knows intents.
    var intent: String?
    var userID: String?
    /// Where the user's ID came from.
    var userSource: String?

    /// - Returns: `nil` if there is nothing yet that may be sent.
    init?(_ session: StoredSession, for renewal: Renewal = .confirmed) {
        guard renewal.canRenew(session), !renewal.needsIntent || session.intent != nil else { return nil }
        sessionID = session.id
        generation = session.generation
        refreshToken = renewal == .sliding ? nil : session.refreshToken
        accessToken = session.accessToken
        intent = renewal.needsIntent ? session.intent : nil
        userID = session.userID
        userSource = session.userSource
    }

    /// For `report`, which says something about the refresh token.
    var presented: TokenPair { TokenPair(refreshToken: refreshToken, accessToken: accessToken) }

    var mask: String { "RefreshCredentials(\(sessionID), generation \(generation), •••)" }
}
