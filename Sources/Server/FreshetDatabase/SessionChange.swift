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

    package init(value: Value, row: SessionRow? = nil, record: AuditEvent? = nil, mustBeDurable: Bool = false) {
        self.value = value
        self.row = row
        self.record = record
        self.mustBeDurable = mustBeDurable
    }
}
