// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetEngine
package import FreshetWire

/// An event of an account or a session, for metrics, the audit trail and notifications.
///
/// Contains no token, code or password, nor a part of one.
package enum ServerEvent: Sendable {
    /// A user signed in; the session is committed.
    case login(SessionFacts)
    /// A refresh token was presented and evaluated.
    case presented(Presentation)
    /// Access tokens of these sessions are refused from now on.
    ///
    /// Emitted once per session, by the first task of this server to learn that it ended: the request that ended it, or
    /// the poller that finds sessions ended by other processes.
    case revoked([Revocation])
    /// Sessions ended, durably.
    ///
    /// Emitted by the request that ended them, for metrics and the audit trail.
    ///
    /// It is emitted only if the row was updated. An expiry emits no event; it is detected when a token of the session
    /// is presented.
    case ended([SessionID], of: UUID, EndReason, at: Timestamp, by: Initiator)
    /// An authentication attempt failed.
    case loginRefused(Refusal)
    /// An operator signed in to or out of the operator pages, or was refused.
    case operatorActed(AuditEvent.Kind)

    /// A session that ended, in this process or another.
    package struct Revocation: Equatable, Sendable {
        package var session: SessionID
        package var reason: EndReason
        var at: Timestamp
    }

    /// The party that ended a session.
    package enum Initiator: Equatable, Sendable {
        /// A client that presented the session's token, or a rule of the server.
        case holder
        /// The user, from this session.
        case session(SessionID)
        /// Another process on the same database, or an operator of this server; that action has its own audit record.
        case anotherProcess
    }

    /// A sign-in that failed.
    package struct Refusal: Sendable {
        package var method: SignInMethod
        /// The user of the account, if there is one.
        var user: UUID?
    }

    /// The description of a session in an event.
    package struct SessionFacts: Sendable {
        // The whole row, because every refresh emits an event, and copying a row copies one reference instead of a
        // dozen fields.
        private let row: SessionRow

        init(_ row: SessionRow) { self.row = row }

        package var id: SessionID { row.id }
        package var user: UUID { row.user }
        /// The contract's name; `nil` for the native contract.
        var contract: String? { row.contract }
        package var device: Device { row.device }
        package var createdAt: Timestamp { row.createdAt }
        var lastUsedAt: Timestamp { row.lastUsedAt }
        /// The address or network of the sign-in.
        var place: String? { row.place }
        /// The method of the sign-in.
        package var method: String? { row.method }
    }

    /// One use of a refresh token.
    package struct Presentation: Sendable {
        /// The operation requested: refresh, confirm, report or logout.
        package var call: String
        /// The session before the operation.
        package var session: SessionFacts
        /// Whether it is an ordinary refresh, which the session's row records in its streak.
        var isInRun: Bool
        /// The generation of the presented token.
        package var generation: UInt64
        /// The name of the outcome: `bound`, `proved`, `superseded`, `fork` ...
        package var outcome: String
        /// Whether it ended the session.
        var hasEnded = false
        /// Whether the token was presented before and found superseded.
        var wasKnownStale = false
        /// The number of commits that the database lost, as the token proves.
        var lostCommits: UInt64
        var at: Timestamp
        /// The time from parsing the token to the outcome, including the wait for the database.
        var duration: Duration
    }
}
