// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetWire

/// A refresh token and the intent that is bound to it: durable before it is sent, and the same in every retry.
struct RefreshPair: Equatable, Sendable, Masked {
    var sessionID: String
    var generation: UInt64
    var refreshToken: String
    var intent: String
    var userID: String?

    /// - Returns: `nil` without an intent: then there is nothing that may be sent.
    init?(_ session: StoredSession) {
        guard let intent = session.intent else { return nil }
        sessionID = session.id
        generation = session.generation
        refreshToken = session.refreshToken
        userID = session.userID
        self.intent = intent
    }

    var mask: String { "RefreshPair(\(sessionID), generation \(generation), •••)" }
}
