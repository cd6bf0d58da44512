// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// An entry of the list of a user's sessions.
package struct SessionSummary: Codable, Equatable, Sendable {
    package var id: SessionID
    /// Whether this is the session of the request.
    package var current: Bool
    package var device: Device
    /// The time of the sign-in, in seconds since 1970 like all times here.
    package var createdAt: Double
    package var lastUsedAt: Double
    /// The time at which the session expires unless it is refreshed before then.
    package var expiresAt: Double
    /// The address or network of the sign-in.
    package var place: String?
    /// The method of the sign-in: `password`, `code` or `apple`.
    package var signedInBy: String?

    package init(
        id: SessionID,
        current: Bool,
        device: Device,
        createdAt: Double,
        lastUsedAt: Double,
        expiresAt: Double,
        place: String? = nil,
        signedInBy: String? = nil
    ) {
        self.id = id
        self.current = current
        self.device = device
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.expiresAt = expiresAt
        self.place = place
        self.signedInBy = signedInBy
    }

    private enum CodingKeys: String, CodingKey {
        case id, current, device, place
        case createdAt = "created_at"
        case lastUsedAt = "last_used_at"
        case expiresAt = "expires_at"
        case signedInBy = "signed_in_by"
    }
}

/// The response to `GET /v1/sessions`, most recently used first.
package struct SessionList: Codable, Equatable, Sendable {
    package var sessions: [SessionSummary]

    package init(sessions: [SessionSummary]) {
        self.sessions = sessions
    }
}

/// The response to `GET /v1/me`.
package struct Me: Codable, Equatable, Sendable {
    package var user: UserInfo
    package var sessionID: SessionID

    package init(user: UserInfo, sessionID: SessionID) {
        self.user = user
        self.sessionID = sessionID
    }

    private enum CodingKeys: String, CodingKey {
        case user
        case sessionID = "session_id"
    }
}
