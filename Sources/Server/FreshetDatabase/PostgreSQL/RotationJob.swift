// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine
package import FreshetWire

/// A queued change of a session in PostgreSQL.
package struct RotationJob: Sendable {
    /// A job's decision about its session's row.
    struct Decision: Sendable {
        /// The new row; `nil` if it does not change.
        var row: SessionRow?
        /// The event that is written to the audit trail in the same transaction.
        var record: AuditEvent?
        /// Whether the change must be on disk before the caller receives its result.
        var mustBeDurable: Bool
        /// Answers the caller after the write.
        var complete: @Sendable () -> Void
    }

    let since = ContinuousClock.now
    let id: SessionID
    let decide: @Sendable (SessionRow) -> Decision
    /// Completes the change with an error, or with `nil` if the session does not exist.
    package let fail: @Sendable ((any Error)?) -> Void

    /// Creates the job of ``ServerDatabase/change(_:_:completion:)``.
    package init<Value>(
        _ id: SessionID,
        _ decide: @escaping @Sendable (SessionRow) -> SessionChange<Value>,
        completion: @escaping @Sendable (Result<Value?, any Error>) -> Void
    ) {
        self.id = id
        self.decide = { row in
            let change = decide(row)
            return Decision(
                row: change.row,
                record: change.record,
                mustBeDurable: change.mustBeDurable,
                complete: { completion(.success(change.value)) }
            )
        }
        fail = { error in completion(error.map(Result.failure) ?? .success(nil)) }
    }
}
