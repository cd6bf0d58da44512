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
    /// Whether the result tells the caller of a change that is committed already, such as the session's end: it must be on
    /// disk, too.
    var tellsCommit = false

    /// - Parameters:
    ///   - value: The result of the decision.
    ///   - row: The new row; `nil` if it does not change.
    ///   - record: The event that is written to the audit trail in the same transaction.
    ///   - mustBeDurable: Whether the write must be on disk before the caller receives its result.
    ///   - tellsCommit: Whether the result tells the caller of a change that is committed already.
    package init(
        value: Value,
        row: SessionRow? = nil,
        record: AuditEvent? = nil,
        mustBeDurable: Bool = false,
        tellsCommit: Bool = false
    ) {
        self.value = value
        self.row = row
        self.record = record
        self.mustBeDurable = mustBeDurable
        self.tellsCommit = tellsCommit
    }

    var durability: WriteDurability { mustBeDurable ? .write : tellsCommit ? .earlierCommits : .none }
}
