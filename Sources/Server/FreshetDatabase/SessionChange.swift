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
    /// Whether the result depends on a change that is committed already, such as the session's end: it must be on disk, too.
    package var dependsOnEarlierCommits = false

    /// - Parameters:
    ///   - value: The result of the decision.
    ///   - row: The new row; `nil` if it does not change.
    ///   - record: The event that is written to the audit trail in the same transaction.
    ///   - mustBeDurable: Whether the write must be on disk before the caller receives its result.
    ///   - dependsOnEarlierCommits: Whether the result depends on a change that is committed already.
    package init(
        value: Value,
        row: SessionRow? = nil,
        record: AuditEvent? = nil,
        mustBeDurable: Bool = false,
        dependsOnEarlierCommits: Bool = false
    ) {
        self.value = value
        self.row = row
        self.record = record
        self.mustBeDurable = mustBeDurable
        self.dependsOnEarlierCommits = dependsOnEarlierCommits
    }

    var durability: WriteDurability { mustBeDurable ? .write : dependsOnEarlierCommits ? .earlierCommits : .none }
}
