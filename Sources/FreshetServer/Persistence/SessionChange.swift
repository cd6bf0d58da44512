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

    /// Whether it must be on disk before anybody hears of it: an ending must, a rotation heals itself.
    var mustBeDurable: Bool { row?.ending != nil }
}
