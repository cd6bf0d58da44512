// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine

/// A decision about a session's row.
package struct SessionChange<Value: Sendable>: Sendable {
    package var value: Value
    /// The new row; `nil` if it does not change.
    package var row: SessionRow?
    /// The event that is written to the audit trail in the same transaction.
    var record: AuditEvent?
    /// Whether the write must be on disk before the caller receives its result, unlike a rotation
    /// (``RotationDecision``).
    var mustBeDurable = false
    /// Whether the result tells of the end of the session that the row has: it must be on disk, too.
    var tellsEnd = false

    /// - Parameters:
    ///   - value: The result of the decision.
    ///   - row: The new row; `nil` if it does not change.
    ///   - record: The event that is written to the audit trail in the same transaction.
    ///   - mustBeDurable: Whether the write must be on disk before the caller receives its result.
    ///   - tellsEnd: Whether the result tells of the end that the row has.
    package init(
        value: Value,
        row: SessionRow? = nil,
        record: AuditEvent? = nil,
        mustBeDurable: Bool = false,
        tellsEnd: Bool = false
    ) {
        self.value = value
        self.row = row
        self.record = record
        self.mustBeDurable = mustBeDurable
        self.tellsEnd = tellsEnd
    }

    var durability: WriteDurability { mustBeDurable ? .write : tellsEnd ? .earlierCommits : .none }
}
