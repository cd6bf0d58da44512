// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetWire

/// The credentials of a refresh: stored durably before they are sent, and the same in every retry.
struct RefreshCredentials: Equatable, Sendable, Masked {
    var sessionID: String
    var generation: UInt64
    var refreshToken: String?
    var accessToken: String
    /// The intent, to which the refresh token is bound; `nil` if the contract has no intents.
    var intent: String?
    var userID: String?
    /// The source of the user's ID.
    var userSource: String?

    /// Creates the credentials of a session; `nil` if the session has none that may be sent yet.
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

    /// The tokens for `report`, which reports a refused refresh token.
    var presented: TokenPair { TokenPair(refreshToken: refreshToken, accessToken: accessToken) }

    var mask: String { "RefreshCredentials(\(sessionID), generation \(generation), •••)" }
}
