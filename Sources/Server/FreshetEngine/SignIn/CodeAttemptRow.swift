// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetWire

/// A code that was sent by mail, as it is stored.
package struct CodeAttemptRow: Equatable, Sendable {
    package let id: String
    package let email: EmailAddress
    /// `nil` for a purpose that only a newer server knows; such a code is never accepted.
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
        /// To add an address to an account.
        case link
    }

    /// The session that a used code opened, so that a retry after a lost response finds the same session.
    package struct Use: Equatable, Sendable {
        package var session: SessionID
        /// The client's intent; without one, no repeated request is answered.
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
