// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine

/// What was decided from a session's row.
struct SessionChange<Value: Sendable>: Sendable {
    var value: Value
    /// What the row becomes; `nil` if it stays.
    var row: SessionRow?
    /// What the audit trail gets in the same step.
    var record: AuditEvent?
    /// Whether it must be on disk before the caller is answered; a rotation need not (``RotationDecision``).
    var mustBeDurable = false
}
