// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetWire

/// One code on its way by mail.
package struct CodeAttemptRow: Equatable, Sendable {
    package let id: String
    package let email: EmailAddress
    /// `nil` for a purpose that only a newer server knows: such a code opens nothing here.
    package let purpose: Purpose?
    /// Keyed hash of the code; the code itself is nowhere.
    package let codeHash: [UInt8]
    package let expiresAt: Timestamp
    package var failures: Int
    package var use: Use?

    /// The purpose of a code; a code is not accepted for another purpose.
    package enum Purpose: String, Sendable, CaseIterable {
        case login
        /// To choose a new password.
        case reset
        /// To give an account an address.
        case link
    }

    /// The session that a used code opened, so that a retry after a lost response finds the same session.
    package struct Use: Equatable, Sendable {
        package var session: SessionID
        /// The client's own bits, if it sent any; without them no repeat is answered.
        package var intent: IntentHash?

        package init(session: SessionID, intent: IntentHash?) {
            self.session = session
            self.intent = intent
        }
    }

    package init(
        id: String,
        email: EmailAddress,
        purpose: Purpose? = .login,
        codeHash: [UInt8],
        expiresAt: Timestamp,
        failures: Int = 0,
        use: Use? = nil
    ) {
        self.id = id
        self.email = email
        self.purpose = purpose
        self.codeHash = codeHash
        self.expiresAt = expiresAt
        self.failures = failures
        self.use = use
    }
}

/// Decides whether a code opens the door.
package struct CodePolicy: Sendable {
    /// After this many wrong codes the right one is refused as well.
    package var maximumFailures = 5

    package init() {}

    package enum Decision: Equatable, Sendable {
        /// Start a session, and note in the same transaction that the code is used.
        case accepted
        /// The same session again: its answer was lost.
        case repeated(SessionID)
        /// Refused; `row` counts the failure if there was one to count.
        case refused(CodeAttemptRow?)
        /// Only a time speaks against the code, and the clock is not trusted.
        case undecided
    }

    /// Judges `code`, given as its keyed hash.
    package func verify(
        _ row: CodeAttemptRow,
        codeHash: [UInt8],
        intent: IntentHash?,
        at clock: ClockReading
    ) -> Decision {
        guard row.failures < maximumFailures else { return .refused(nil) }
        // Before the code is looked at, so that the answer says nothing about it.
        guard clock.now < row.expiresAt else { return clock.isTrusted ? .refused(nil) : .undecided }
        guard isEqualInConstantTime(row.codeHash, codeHash) else {
            var row = row
            row.failures += 1
            return .refused(row)
        }
        guard let use = row.use else { return .accepted }
        guard let intent, use.intent == intent else { return .refused(nil) }
        return .repeated(use.session)
    }

    /// Compares without telling by its time where the first difference is.
    private func isEqualInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
