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
    /// Access tokens of these sessions are refused from now on.
    ///
    /// Told once a session, by the first of this server's tasks that learns of the ending: the request that ended it, or the
    /// reader of what other processes ended.
    case revoked([Revocation])
    /// Sessions ended, durably. The request that ended them tells this event, for metrics and the audit trail.
    ///
    /// Only an ending that was written: a session that passes its idle or absolute end has no event, and shows when its
    /// token is presented.
    case ended([SessionID], of: UUID, EndReason, at: Timestamp, by: Initiator)
    /// Somebody could not show who they are.
    case loginRefused(Refusal)
    /// An operator signed in to the pages or out of them, or was refused.
    case operatorActed(AuditEvent.Kind)

    /// A session that ended, in this process or another.
    package struct Revocation: Equatable, Sendable {
        package var session: SessionID
        package var reason: EndReason
        package var at: Timestamp
    }

    /// Who ended a session.
    package enum Initiator: Equatable, Sendable {
        /// Its holder, or whoever presented its token; the server by a rule.
        case holder
        /// The user, from this session.
        case session(SessionID)
        /// Another process on the same database, or an operator at this one; whoever it was has noted it.
        case anotherProcess
    }

    /// A sign-in that failed.
    package struct Refusal: Sendable {
        package var method: SignInMethod
        /// Whose account it was, if there is one.
        package var user: UUID?
    }

    /// What is told of a session.
    package struct SessionFacts: Sendable {
        // Whole, since every refresh is told: a row is copied as one reference, and its words are a dozen.
        private let row: SessionRow

        init(_ row: SessionRow) { self.row = row }

        package var id: SessionID { row.id }
        package var user: UUID { row.user }
        /// `nil` for the native contract.
        package var contract: String? { row.contract }
        package var device: Device { row.device }
        package var createdAt: Timestamp { row.createdAt }
        package var lastUsedAt: Timestamp { row.lastUsedAt }
        /// The address or network that the sign-in came from.
        package var place: String? { row.place }
        /// How the user signed in.
        package var method: String? { row.method }
    }

    /// One use of a refresh token.
    package struct Presentation: Sendable {
        /// What was asked for: refresh, confirm, report or logout.
        package var call: String
        /// The session as it was before.
        package var session: SessionFacts
        /// Whether it is a refresh like any other, which the session's row tells of.
        package var isInRun: Bool
        /// The token's own generation.
        package var generation: UInt64
        /// The word for the outcome: `bound`, `proved`, `superseded`, `fork` ...
        package var outcome: String
        /// Whether it ended the session.
        package var hasEnded = false
        /// Whether the token was presented before, and found overtaken.
        package var wasKnownStale = false
        /// Commits that the database had lost, as the token proves.
        package var lostCommits: UInt64
        package var at: Timestamp
        /// From the parsed token to the judgement, the wait for the database included.
        package var duration: Duration
    }
}
