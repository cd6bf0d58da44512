// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire

/// Does the changes of single sessions that wait, together: one question for their rows, one for what they become.
///
/// What is asked together travels at once and is one transaction, so that many share its commit. Each change is one statement
/// on one row by its key, under the condition that the row is what it was decided from; who comes too late decides again. Rows
/// are taken in the order of their ids here and wherever several sessions change, so nobody waits in a circle.
struct PostgresRotations: Sendable {
    /// A change that somebody waits for.
    struct Job: Sendable {
        let since = ContinuousClock.now
        let id: SessionID
        let decide: @Sendable (SessionRow) -> Decision
        /// Tells why nothing came of it; `nil` if there is no such session.
        let fail: @Sendable ((any Error)?) -> Void
    }

    /// What a job makes of its session's row.
    struct Decision: Sendable {
        /// What the row becomes; `nil` if it stays.
        var row: SessionRow?
        /// What the audit trail gets with it.
        var record: AuditEvent?
        /// Whether it must be on disk before the caller is answered.
        var mustBeDurable: Bool
        /// Answers the caller, once it is written.
        var complete: @Sendable () -> Void
    }

    private typealias Change = (old: SessionRow, new: SessionRow, decision: Decision)

    /// What was decided, in its place among the others of its session.
    private struct Step {
        var job: Job
        var change: Change?
        var complete: @Sendable () -> Void
    }

    static let maximumBatchSize = 64
    /// So often is decided anew because another one was faster.
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
                // One that cannot be done keeps nobody else from it.
                if waiting.count > 1, connection.isOpen { return waiting.forEach { run([$0]) } }
                return waiting.forEach { $0.fail(error) }
            }
        }
        waiting.forEach { $0.fail(SQLError.busy) }
    }

    /// Decides for all, and writes.
    ///
    /// - Returns: those that must decide again.
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
        // Nobody is told before that: if it fails, all of them have their turn again.
        for failure in failed { failure.job.fail(failure.error) }
        return complete(steps, written)
    }

    /// Lets each decide from what the one before leaves.
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

    /// - Returns: for each, whether the row still was what it was decided from.
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
        // One change that must be on disk when it is answered has all that travel with it written to the disk.
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
