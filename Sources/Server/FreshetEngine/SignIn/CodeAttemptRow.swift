// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetWire

/// A code that was sent by mail.
package struct CodeAttemptRow: Equatable, Sendable {
    package let id: String
    package let email: EmailAddress
    /// The purpose; `nil` for one that only a newer server knows, so that the code is not accepted here.
    package let purpose: Purpose?
    /// The keyed hash of the code; the code itself is not stored.
    package let codeHash: [UInt8]
    package let expiresAt: Timestamp
    package var failures: Int
    package var use: Use?

    /// The purpose of a code; a code is not accepted for another purpose.
    package enum Purpose: String, Sendable, CaseIterable {
        case login
        /// Choosing a new password.
        case reset
        /// Adding an address to an account.
        case link
    }

    /// The session that a used code opened, so that a retry after a lost response finds the same session.
    package struct Use: Equatable, Sendable {
        package var session: SessionID
        /// The client's intent, if it sent one; without it, a retry is refused.
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

/// The rules for accepting a code.
package struct CodePolicy: Sendable {
    /// The number of wrong codes after which the correct one is refused as well.
    package var maximumFailures = 5

    package init() {}

    package enum Decision: Equatable, Sendable {
        /// Start a session, and record the use of the code in the same transaction.
        case accepted
        /// Return the same session: its response was lost.
        case repeated(SessionID)
        /// The code is refused; the row, if any, counts the failure.
        case refused(CodeAttemptRow?)
        /// The code is refused only because of a time, and the clock is not trusted.
        case undecided
    }

    /// Evaluates `code`, given as its keyed hash.
    package func verify(
        _ row: CodeAttemptRow,
        codeHash: [UInt8],
        intent: IntentHash?,
        at clock: ClockReading
    ) -> Decision {
        guard row.failures < maximumFailures else { return .refused(nil) }
        // Checked before the code, so that the response reveals nothing about it.
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

    /// Compares in a time that does not depend on the position of the first difference.
    private func isEqualInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
