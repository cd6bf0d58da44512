// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire

/// Executes queued changes of sessions in batches: one query for their rows, one for the writes.
///
/// The statements of a batch are sent together and are one transaction, so that many changes share a commit. Each
/// change is one statement that selects a row by its key and updates it only if the row has not changed since the
/// decision; otherwise the change is decided again. Every transaction that changes several sessions locks their rows in
/// the order of their IDs, which prevents deadlocks.
struct PostgresRotations: Sendable {
    /// A queued change.
    struct Job: Sendable {
        let since = ContinuousClock.now
        let id: SessionID
        let decide: @Sendable (SessionRow) -> Decision
        /// Completes the change with an error, or with `nil` if the session does not exist.
        let fail: @Sendable ((any Error)?) -> Void
    }

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

    private typealias Change = (old: SessionRow, new: SessionRow, decision: Decision)

    /// A decided job: the change of its row, if any, and the answer to the caller.
    private struct Step {
        var job: Job
        var change: Change?
        var complete: @Sendable () -> Void
    }

    static let maximumBatchSize = 64
    /// The maximum number of times that a change is decided again after a conflict.
    private static let attempts = 24

    let connection: PostgresConnection
    let counters: PostgresCounters

    func run(_ jobs: [Job]) {
        var waiting = jobs
        for _ in 1...Self.attempts {
            do {
                waiting = try round(waiting)
                if waiting.isEmpty { return }
            } catch {
                connection.rollBack()
                if let error = error as? SQLError, error.isConflict { continue }
                // A job that fails must not fail the others.
                if waiting.count > 1, connection.isOpen { return waiting.forEach { run([$0]) } }
                return waiting.forEach { $0.fail(error) }
            }
        }
        waiting.forEach { $0.fail(SQLError.busy) }
    }

    /// Decides all changes, and writes them.
    ///
    /// - Returns: The jobs that must be decided again.
    private func round(_ jobs: [Job]) throws -> [Job] {
        let bySession = Dictionary(grouping: jobs, by: \.id)
        let ids = bySession.keys.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        let found = try connection.query(ids.map { PostgresQuery(SessionTable.byID, [$0]) })
        var steps: [[Step]] = []
        var failed: [(job: Job, error: (any Error)?)] = []
        for (id, answer) in zip(ids, found) {
            let jobs = bySession[id] ?? []
            do {
                guard let row = try answer.first.map({ try SessionRow($0) }) else {
                    failed += jobs.map { ($0, nil) }
                    continue
                }
                steps.append(decide(jobs, row))
            } catch {
                failed += jobs.map { ($0, error) }
            }
        }
        let changes = steps.flatMap { $0.compactMap(\.change) }
        let written = changes.isEmpty ? [] : try write(changes)
        // No job is completed before the write: if the write fails, all jobs are decided again.
        for failure in failed { failure.job.fail(failure.error) }
        return complete(steps, written)
    }

    /// Decides each change from the row that the previous one produced.
    private func decide(_ jobs: [Job], _ row: SessionRow) -> [Step] {
        var row = row
        var steps: [Step] = []
        for job in jobs {
            let decision = job.decide(row)
            steps.append(Step(job: job, change: decision.row.map { (row, $0, decision) }, complete: decision.complete))
            row = decision.row ?? row
        }
        return steps
    }

    /// Writes the changes.
    ///
    /// - Returns: Whether each row was unchanged since its decision, so that it was written.
    private func write(_ changes: [Change]) throws -> [Bool] {
        let start = ContinuousClock.now
        let questions = try changes.map { old, new, decision in
            let values = try SessionTable.replacing(old, by: new)
            guard let record = decision.record else { return PostgresQuery(SessionColumn.replacement, values) }
            return PostgresQuery(
                AuditTable.insertingEvent(SessionColumn.replacement),
                values + AuditTable.values(record)
            )
        }
        // One change that must be durable makes its whole batch durable.
        let isDurable = changes.contains { $0.decision.mustBeDurable }
        let before = isDurable ? [PostgresQuery("BEGIN"), PostgresQuery(PostgresConnection.durable)] : []
        let after = isDurable ? [PostgresQuery("COMMIT")] : []
        let answers = try connection.query(before + questions + after)
        counters.recordCommit(isDurable: isDurable, ContinuousClock.now - start)
        return answers[before.count..<before.count + questions.count].map { $0.changed == 1 }
    }

    private func complete(_ steps: [[Step]], _ written: [Bool]) -> [Job] {
        var again: [Job] = []
        var written = written[...]
        for steps in steps {
            var isOutdated = false
            for step in steps {
                let holds = step.change == nil ? !isOutdated : written.popFirst() ?? false
                if holds {
                    step.complete()
                } else {
                    isOutdated = true
                    again.append(step.job)
                }
            }
        }
        return again
    }
}
