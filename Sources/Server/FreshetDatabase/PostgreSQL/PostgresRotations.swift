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
///
/// A durable commit may wait for a standby without end. A change that needs one, or whose row is locked, is therefore
/// handed over to other connections, with the changes of the same session that follow it.
package struct PostgresRotations<Connection: PipelinedConnection> {
    private typealias Decision = RotationJob.Decision
    private typealias Change = (old: SessionRow, new: SessionRow, decision: Decision)

    /// A decided job: the change of its row, if any, and the answer to the caller.
    private struct Step {
        var job: RotationJob
        var change: Change?
        var complete: @Sendable () -> Void
    }

    package static var maximumBatchSize: Int { 64 }
    /// The maximum number of times that a change is decided again after a conflict.
    private static var attempts: Int { 24 }

    private let connection: Connection
    private let counters: PostgresCounters?
    /// Receives the changes that may have to wait; `nil` if this connection is the one for them.
    private let handOver: (([RotationJob]) -> Void)?

    init(connection: Connection, counters: PostgresCounters?, handOver: (([RotationJob]) -> Void)? = nil) {
        self.connection = connection
        self.counters = counters
        self.handOver = handOver
    }

    /// Creates the changes of a connection.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - handOver: Receives the changes that may have to wait; `nil` if this connection is the one for them.
    package init(connection: Connection, handOver: (([RotationJob]) -> Void)? = nil) {
        self.init(connection: connection, counters: nil, handOver: handOver)
    }

    package func run(_ jobs: [RotationJob]) {
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
                if let handOver, let error = error as? SQLError, error.isLockTimeout { return handOver(waiting) }
                return waiting.forEach { $0.fail(error) }
            }
        }
        waiting.forEach { $0.fail(SQLError.busy) }
    }

    /// Decides all changes, and writes them.
    ///
    /// - Returns: The jobs that must be decided again.
    private func round(_ jobs: [RotationJob]) throws -> [RotationJob] {
        let bySession = Dictionary(grouping: jobs, by: \.id)
        let ids = bySession.keys.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        let found = try connection.sessions(ids)
        var steps: [[Step]] = []
        var mayWait: [RotationJob] = []
        var failed: [(job: RotationJob, error: (any Error)?)] = []
        for (id, answer) in zip(ids, found) {
            let jobs = bySession[id] ?? []
            do {
                guard let row = try answer.get() else {
                    failed += jobs.map { ($0, nil) }
                    continue
                }
                let decided = decide(jobs, row)
                steps.append(decided)
                mayWait += jobs.dropFirst(decided.count)
            } catch {
                failed += jobs.map { ($0, error) }
            }
        }
        let changes = steps.flatMap { $0.compactMap(\.change) }
        let written = changes.isEmpty ? [] : try write(changes)
        // No job is completed before the write: if the write fails, all jobs are decided again.
        for failure in failed { failure.job.fail(failure.error) }
        if !mayWait.isEmpty { handOver?(mayWait) }
        return complete(steps, written)
    }

    /// Decides each change from the row that the previous one produced.
    ///
    /// - Returns: The decided changes, up to the first one that must be handed over.
    private func decide(_ jobs: [RotationJob], _ row: SessionRow) -> [Step] {
        var row = row
        var steps: [Step] = []
        for job in jobs {
            let decision = job.decide(row)
            if handOver != nil, decision.row != nil, decision.mustBeDurable { break }
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
        let statements = try changes.map { old, new, decision in
            PostgresQuery(
                SessionColumn.replacement,
                try SessionTable.replacing(old, by: new),
                recording: decision.record
            )
        }
        // One change that must be durable makes its whole batch durable.
        let isDurable = changes.contains { $0.decision.mustBeDurable }
        let changed = try connection.execute(statements, isDurable: isDurable)
        counters?.recordCommit(isDurable: isDurable, ContinuousClock.now - start)
        return changed.map { $0 == 1 }
    }

    private func complete(_ steps: [[Step]], _ written: [Bool]) -> [RotationJob] {
        var again: [RotationJob] = []
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
