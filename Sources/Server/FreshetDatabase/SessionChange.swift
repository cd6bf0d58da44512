// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine

/// What was decided from a session's row.
package struct SessionChange<Value: Sendable>: Sendable {
    package var value: Value
    /// What the row becomes; `nil` if it stays.
    package var row: SessionRow?
    /// What the audit trail gets in the same step.
    package var record: AuditEvent?
    /// Whether it must be on disk before the caller is answered; a rotation need not (``RotationDecision``).
    package var mustBeDurable = false

    package init(value: Value, row: SessionRow? = nil, record: AuditEvent? = nil, mustBeDurable: Bool = false) {
        self.value = value
        self.row = row
        self.record = record
        self.mustBeDurable = mustBeDurable
    }
}
