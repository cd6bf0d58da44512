// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine
package import FreshetWire

package import struct Foundation.UUID

/// What happened to an account or a session, for whoever counts, records or passes it on.
///
/// No event holds a token, a code, a password or a part of one.
package enum ServerEvent: Sendable {
    /// Somebody signed in; the session is on disk.
    case login(SessionFacts)
    /// A refresh token was presented and judged.
    case presented(Presentation)
    /// Sessions are over, and that is on disk.
    ///
    /// Only an ending that was written: a session that passes its idle or absolute end has no event, and shows when its
    /// token is presented.
    case ended([SessionID], of: UUID, EndReason, at: Timestamp)

    /// What is told of a session.
    package struct SessionFacts: Sendable {
        package var id: SessionID
        package var user: UUID
        /// `nil` for the native contract.
        package var dialect: String?
        package var device: Device
        package var createdAt: Timestamp
        package var lastUsedAt: Timestamp
        /// The address or network that the sign-in came from.
        package var place: String?
        /// How the user signed in.
        package var method: String?

        init(_ row: SessionRow) {
            id = row.id
            user = row.user
            dialect = row.dialect
            device = row.device
            createdAt = row.createdAt
            lastUsedAt = row.lastUsedAt
            place = row.place
            method = row.method
        }
    }

    /// One use of a refresh token.
    package struct Presentation: Sendable {
        /// What was asked for: refresh, confirm, report or logout.
        package var call: String
        /// The session as it was before.
        package var session: SessionFacts
        /// The token's own generation.
        package var generation: UInt64
        /// The word for the outcome: `bound`, `proved`, `superseded`, `fork` ...
        package var outcome: String
        /// Commits that the database had lost, as the token proves.
        package var lostCommits: UInt64
        package var at: Timestamp
        /// From the parsed token to the judgement, the wait for the database included.
        package var duration: Duration
    }
}
