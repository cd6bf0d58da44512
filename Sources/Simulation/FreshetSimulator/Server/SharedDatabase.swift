// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FreshetDatabase
    import FreshetEngine
    import FreshetWire

    /// PostgreSQL as one of several server processes sees it: the server's own SQL and its batches of rotations.
    ///
    /// Other processes may change a session between the reading of its row and its writing. Serialisable transactions run
    /// one after the other, which is what PostgreSQL's amount to; some conflict, and run again.
    final class SharedDatabase: ServerProcessDatabase, @unchecked Sendable {
        /// The number of connections for rotations.
        private static let rotationConnections = 2

        let access: DatabaseAccess
        private let clock: MachineClock
        private let faults: DatabaseFaults
        private var rotations: [RotationJob] = []
        /// The changes that must be durable, in the batches in which they were handed over.
        private var durableBatches: [[RotationJob]] = []
        private var busyConnections = 0

        init(on host: DatabaseHost, _ faults: DatabaseFaults) {
            access = DatabaseAccess(host)
            clock = host.clock
            self.faults = faults
        }

        func kill() { access.isClosed = true }

        func read<Value: Sendable>(
            _ body: @escaping @Sendable (any SQLConnection) throws -> Value
        ) async throws -> Value {
            try await access.run { [clock] connection in
                try connection.inSnapshot { try body(SharedReader(connection, clock)) }
            }
        }

        func readNow<Value: Sendable>(_ body: (any SQLConnection) throws -> Value) throws -> Value {
            try access.now { connection in try connection.inSnapshot { try body(SharedReader(connection, clock)) } }
        }

        func durably<Value: Sendable>(
            _ body: @escaping @Sendable (any SQLConnection) throws -> Value
        ) async throws -> Value {
            try await transaction(isDurable: true, body)
        }

        func change<Value: Sendable>(
            _ id: SessionID,
            _ decide: @escaping @Sendable (SessionRow) -> SessionChange<Value>,
            completion: @escaping @Sendable (Result<Value?, any Error>) -> Void
        ) {
            rotations.append(RotationJob(id, decide, completion: completion))
            guard busyConnections < Self.rotationConnections else { return }
            busyConnections += 1
            access.submit(rotate)
        }

        /// Runs the queued changes as one batch.
        private func rotate(_ connection: Result<SQLiteConnection, any Error>) {
            let batch = Array(rotations.prefix(PostgresRotations<SharedConnection>.maximumBatchSize))
            rotations.removeFirst(batch.count)
            do {
                let connection = SharedConnection(try connection.get(), of: access, faults)
                PostgresRotations(connection: connection) { [self] in
                    durableBatches.append($0)
                    access.submit(writeDurably)
                }.run(batch)
            } catch {
                for job in batch { job.fail(error) }
            }
            if rotations.isEmpty { busyConnections -= 1 } else { access.submit(rotate) }
        }

        /// Writes the next batch of changes that must be durable.
        private func writeDurably(_ connection: Result<SQLiteConnection, any Error>) {
            let batch = durableBatches.removeFirst()
            do {
                let connection = SharedConnection(try connection.get(), of: access, faults)
                PostgresRotations(connection: connection).run(batch)
            } catch {
                for job in batch { job.fail(error) }
            }
        }

        func enqueueBestEffort(
            _ body: @escaping @Sendable (any SQLConnection) throws -> Void,
            otherwise dropped: @escaping @Sendable () -> Void
        ) {
            access.submit { connection in
                do {
                    let connection = try connection.get()
                    try connection.inTransaction { try body(connection) }
                } catch {
                    dropped()
                }
            }
        }

        @discardableResult
        func backgroundWrite<Value: Sendable>(
            _ body: @escaping @Sendable (any SQLConnection) throws -> Value
        ) async throws -> Value {
            try await transaction(isDurable: false, body)
        }

        /// Runs `body` in a transaction, and again after a conflict with another one.
        private func transaction<Value: Sendable>(
            isDurable: Bool,
            _ body: @escaping @Sendable (any SQLConnection) throws -> Value
        ) async throws -> Value {
            while true {
                do {
                    return try await access.run { [faults] connection in
                        let value = try connection.inTransaction(isDurable: isDurable) {
                            let value = try body(connection)
                            if faults.occurs(.conflict) { throw Conflict() }
                            return value
                        }
                        if faults.occurs(.lostOutcome) {
                            try faults.loseOutcome(on: connection)
                            throw SQLError.simulatedLoss
                        }
                        return value
                    }
                } catch is Conflict {
                    continue
                }
            }
        }

        func checkpoint() async {}

        var mayLoseCommits: Bool { false }

        var queueLength: Int { rotations.count }
    }

    /// A serialisable transaction conflicts with another one, and has no effect.
    private struct Conflict: Error {}

    /// A connection for reads, by which a server reads the clock of the machine with PostgreSQL.
    private final class SharedReader: SQLConnection {
        private static let timeQuery = "SELECT ?"
        private let connection: SQLiteConnection
        private let clock: MachineClock

        init(_ connection: SQLiteConnection, _ clock: MachineClock) {
            self.connection = connection
            self.clock = clock
        }

        func visit(
            _ sql: String,
            _ values: [(any SQLConvertible)?],
            _ body: (any SQLRow) throws -> Bool
        ) throws {
            try connection.visit(sql, sql == Self.timeQuery ? [clock.wall.milliseconds] : values, body)
        }

        func execute(_ sql: String, _ values: [(any SQLConvertible)?]) throws -> Int {
            try connection.execute(sql, values)
        }

        var skippingLocked: String { connection.skippingLocked }
        var hasRowIDs: Bool { connection.hasRowIDs }
        var eventAgeExpression: String { connection.eventAgeExpression }
        var serverTimeQuery: String? { Self.timeQuery }
    }

    /// A connection for rotations, on the SQLite database that stands for PostgreSQL.
    private final class SharedConnection: PipelinedConnection {
        private let connection: SQLiteConnection
        let access: DatabaseAccess
        private let faults: DatabaseFaults
        private(set) var isOpen = true

        init(_ connection: SQLiteConnection, of access: DatabaseAccess, _ faults: DatabaseFaults) {
            self.connection = connection
            self.access = access
            self.faults = faults
        }

        func sessions(_ ids: [SessionID]) throws -> [Result<SessionRow?, any Error>] {
            ids.map { id in Result { try SessionTable.find(id, in: connection) } }
        }

        func execute(_ statements: [PostgresQuery], isDurable: Bool) throws -> [Int] {
            if faults.occurs(.pause) { SimulationExecutor.shared.runOthers(for: faults.pause) }
            // A promotion, a power failure, or the end of the process during the pause.
            let isLost = (try? access.current()) !== connection
            if isLost || faults.occurs(.lostConnection) { throw lose() }
            if faults.occurs(.deadlock) { throw SQLError.simulatedDeadlock }
            let changes = try connection.inTransaction(isDurable: isDurable) {
                try statements.map { statement in
                    let changed = try connection.execute(statement.sql, statement.values)
                    if changed == 0 { faults.count(.outdated) }
                    if changed > 0, let event = statement.event { try AuditTable.insert(event, in: connection) }
                    return changed
                }
            }
            if faults.occurs(.lostOutcome) { throw lose() }
            return changes
        }

        private func lose() -> SQLError {
            isOpen = false
            return .simulatedLoss
        }

        func rollBack() {}
    }

    extension SQLError {
        fileprivate static let simulatedLoss = connectionLost("the simulated connection ended")
        fileprivate static let simulatedDeadlock = SQLError(
            kind: .transient,
            code: "PostgreSQL 40P01",
            message: "deadlock detected"
        )
    }
#endif
