// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetWire

/// Decides whether a mailed code is accepted.
package struct CodePolicy: Sendable {
    /// The number of wrong codes after which every code of the attempt is refused.
    package var maximumFailures = 5

    package init() {}

    package enum Decision: Equatable, Sendable {
        /// The code is right and unused; the caller starts a session and marks the code as used in one transaction.
        case accepted
        /// The client repeats a request that opened this session, because the response was lost.
        case repeated(SessionID)
        /// The code is refused; the row counts the failure if the code was wrong.
        case refused(CodeAttemptRow?)
        /// The code would be refused as expired, but the clock is not trusted.
        case undecided
    }

    /// Verifies a code by its keyed hash.
    package func verify(
        _ row: CodeAttemptRow,
        codeHash: [UInt8],
        intent: IntentHash?,
        at clock: ClockReading
    ) -> Decision {
        guard row.failures < maximumFailures else { return .refused(nil) }
        // Before the code is compared, so that the response reveals nothing about it.
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
