// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetWire

/// The answer to a presented token, and the row that must be written for the answer to hold.
package struct RotationDecision: Equatable, Sendable {
    package var answer: RotationOutcome
    /// The new row; `nil` if nothing changes.
    package var row: SessionRow?
    /// The run of refreshes that the new row tells of no more, and the audit trail gets with it.
    package var endedStreak: RefreshStreak?

    /// Whether the change must be on disk before the answer leaves (PROTOCOL.md, "Refresh").
    ///
    /// An ending must, and so must the step from plain mode to intents. An ordinary rotation need not, because case 6
    /// heals what a crash loses.
    package let mustBeDurable: Bool

    package init(_ answer: RotationOutcome, row: SessionRow? = nil, isStepToIntents: Bool = false) {
        self.answer = answer
        self.row = row
        mustBeDurable = isStepToIntents || row?.ending != nil
    }
}

/// The outcome of presenting a refresh token.
package enum RotationOutcome: Equatable, Sendable {
    /// The successor, for which an access token goes along.
    case served(RefreshToken, Served)
    /// A newer generation was proved; this token is useless and the session lives (case 2).
    case superseded
    /// The session is over: final.
    case ended(EndReason)
    /// A confirmation, report or logout was taken note of.
    case recorded
    /// Nothing can be said for or against the session.
    case refused(Refusal)

    /// How a successor came about, for the log and the metrics.
    package enum Served: Equatable, Sendable {
        /// Issued for the first time (case 3).
        case bound
        /// The same successor again (case 4; in plain mode a race or a quick retry).
        case repeated
        /// A new sibling, because the answer seems to be lost (plain mode).
        case sibling
        /// The presented token proved its own receipt (case 6).
        case proved
        /// As ``proved``, and the row had lost this many commits.
        case rolledForward(UInt64)
        /// The same token for ever (static mode).
        case unrotated
    }

    package enum Refusal: Equatable, Sendable {
        /// The MAC is not ours, or its key was retired: no state is touched.
        case forged
        /// The key is not in this server's ring, and was not retired.
        case keyUnavailable
        /// The session is in a mode that this version does not know; a newer server can tell.
        case unsupportedMode
        /// The session has sent intents, and this request has none: no downgrade.
        case intentRequired
        /// The session was opened elsewhere, where a refresh means something else.
        case elsewhere
        /// The session belongs to another OAuth client.
        case otherClient
        /// Only a time speaks against the session, and the clock is not trusted.
        case clockNotTrusted
    }
}
