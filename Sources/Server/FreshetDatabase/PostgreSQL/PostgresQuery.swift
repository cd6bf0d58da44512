// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine

/// A statement and its parameters.
package struct PostgresQuery {
    package var sql: String
    package var values: [(any SQLConvertible)?]
    /// The event that is added to the audit trail if the statement changes a row.
    package var event: AuditEvent?

    init(_ sql: String, _ values: [(any SQLConvertible)?] = [], recording event: AuditEvent? = nil) {
        self.sql = sql
        self.values = values
        self.event = event
    }

    /// The statement, which also adds the event.
    var statement: String { event == nil ? sql : AuditTable.insertingEvent(sql) }
    /// The parameters of ``statement``.
    var parameters: [(any SQLConvertible)?] { event.map { values + AuditTable.values($0) } ?? values }
}
