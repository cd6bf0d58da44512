// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetWire

/// The outcome of a presented token, and the row that must be written first.
package struct RotationDecision: Equatable, Sendable {
    package var answer: RotationOutcome
    /// The new row; `nil` if nothing changes.
    package var row: SessionRow?
    /// The completed run of refreshes, which is written to the audit trail with the new row.
    package var endedStreak: RefreshStreak?

    /// Whether the change must be on disk before the response is sent (PROTOCOL.md, "Refresh").
    ///
    /// The end of a session, the upgrade from plain mode to intents, and a large extension of the idle expiry must be on
    /// disk. An ordinary rotation does not have to be, because case 6 recovers from its loss.
    package let mustBeDurable: Bool

    /// Whether the token had been presented before, by a request that may have received no response.
    ///
    /// The commit of that request may have to be durable, so it must be on disk before this response is sent.
    package var isRepeated: Bool {
        switch answer {
        case .served(_, .repeated), .served(_, .sibling), .served(_, .unrotated): true
        default: false
        }
    }

    package init(_ answer: RotationOutcome, row: SessionRow? = nil, mustBeDurable: Bool = false) {
        self.answer = answer
        self.row = row
        self.mustBeDurable = mustBeDurable || row?.ending != nil
    }
}

/// The outcome of presenting a refresh token.
package enum RotationOutcome: Equatable, Sendable {
    /// The successor, which is returned with an access token.
    case served(RefreshToken, Served)
    /// A newer generation was confirmed, so this token is useless; the session continues (case 2).
    case superseded
    /// The session has ended; final.
    case ended(EndReason)
    /// A confirmation, report or logout was processed.
    case recorded
    /// Undecided; the session is unchanged.
    case refused(Refusal)

    /// The origin of a successor, for the log and the metrics.
    package enum Served: Equatable, Sendable {
        /// Issued for the first time (case 3).
        case bound
        /// The same successor was issued again (case 4; in plain mode a race or a quick retry).
        case repeated
        /// Another successor was issued, because the response with the previous one seems to be lost (plain mode).
        case sibling
        /// The presented token proved that its holder had received it (case 6).
        case proved
        /// As ``proved``, and the token is this many commits ahead of the row, which the database lost.
        case rolledForward(UInt64)
        /// The same token, which never changes (static mode).
        case unrotated
    }

    package enum Refusal: Equatable, Sendable {
        /// The MAC is invalid, or its key was retired; no state changes.
        case forged
        /// The key is missing on this server, and was not retired.
        case keyUnavailable
        /// The session is in a mode that this version does not know; a newer server can decide.
        case unsupportedMode
        /// The session has sent intents, and this request has none: a downgrade is refused.
        case intentRequired
        /// The session belongs to another path or contract, with other rules for a refresh.
        case elsewhere
        /// The session belongs to another OAuth client.
        case otherClient
        /// A final outcome would depend on a time, and the clock is not trusted.
        case clockNotTrusted
    }
}
