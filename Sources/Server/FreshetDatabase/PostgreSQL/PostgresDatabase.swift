// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetEngine
package import FreshetMetrics
package import FreshetWire
import NIOConcurrencyHelpers

/// A PostgreSQL database that several servers share.
///
/// A change of a session reads the session's row and writes it conditionally; unless it must be durable, PostgreSQL
/// confirms it before it is on disk. Other changes are serialisable transactions, retried after conflicts, so that two
/// servers behave like one.
///
/// Durable transactions may wait for a synchronous standby, and have connections of their own: refreshes and reads go on
/// without one.
package final class PostgresDatabase: ServerDatabase {
    /// The maximum number of attempts of a transaction that conflicts with others.
    private static let attempts = 12
    /// The age at which the database's size is queried again.
    private static let sizeAge = Duration.seconds(60)

    private struct Size {
        var bytes: Int64?
        var askedAt: ContinuousClock.Instant?
    }

    private let connector: PostgresConnector
    /// Opens the connections for durable transactions.
    private let durableConnector: PostgresConnector
    private let reading: PostgresPool<ConnectionJob>
    private let durable: PostgresPool<ConnectionJob>
    private let rotations: PostgresPool<RotationJob>
    private let durableChanges: DurableChanges
    /// The connection for startup, for commands, and for work outside of requests.
    private let commandConnection: NIOLockedValueBox<PostgresConnection?>
    private let size = NIOLockedValueBox(Size())
    private let counters: PostgresCounters

    /// Connects, and executes missing migrations or, for a command, refuses a database with missing migrations.
    ///
    /// - Parameters:
    ///   - configuration: The database's address and settings.
    ///   - limits: The maximum number of queued writes.
    ///   - metrics: Records the durations of commits.
    ///   - migrates: Whether missing migrations are executed.
    ///   - onProgress: Called with the reason for a delay.
    /// - Throws: `DatabaseStartupError`.
    package init(
        _ configuration: PostgresConfiguration,
        limits: AdmissionLimits = AdmissionLimits(),
        metrics: ServerMetrics? = nil,
        migrates: Bool = true,
        onProgress: (StartupProgress) -> Void = { _ in }
    ) throws(DatabaseStartupError) {
        let connector = PostgresConnector(configuration)
        let durableConnector = PostgresConnector(configuration)
        let counters = PostgresCounters(metrics)
        do {
            commandConnection = NIOLockedValueBox(try Self.first(durableConnector, migrates: migrates, onProgress))
        } catch {
            throw DatabaseStartupError(postgres: error)
        }
        self.connector = connector
        self.durableConnector = durableConnector
        self.counters = counters
        let perform: @Sendable ([ConnectionJob], Result<PostgresConnection, any Error>) -> Void = { jobs, connection in
            for job in jobs { job(connection) }
        }
        reading = PostgresPool(
            connector,
            threads: configuration.readingConnections,
            maximumQueueLength: limits.writes,
            lockTimeout: PostgresConfiguration.readingLockTimeout,
            work: perform
        )
        durable = PostgresPool(
            durableConnector,
            threads: configuration.durableConnections,
            maximumQueueLength: limits.writes,
            work: perform
        )
        let durableChanges = DurableChanges(on: durable, counters: counters)
        self.durableChanges = durableChanges
        // A rotation waits neither for the disk nor for other sessions' rows, so few connections serve many sessions.
        rotations = PostgresPool(
            connector,
            threads: configuration.rotationConnections,
            maximumQueueLength: limits.writes,
            maximumBatchSize: PostgresRotations<PostgresConnection>.maximumBatchSize,
            lockTimeout: PostgresConfiguration.rotationLockTimeout
        ) { jobs, connection in
            if let first = jobs.first { counters.recordWait(since: first.since) }
            switch connection {
            case .success(let connection):
                PostgresRotations(connection: connection, counters: counters, handOver: durableChanges.enqueue).run(
                    jobs
                )
            case .failure(let error): jobs.forEach { $0.fail(error) }
            }
        }
    }

    /// Opens the first connection, to a durable database with the required tables.
    private static func first(
        _ connector: PostgresConnector,
        migrates: Bool,
        _ onProgress: (StartupProgress) -> Void
    ) throws -> PostgresConnection {
        let startupTimeout = migrates ? connector.configuration.startupTimeout : .zero
        let connection = try connector.first(startupTimeout: startupTimeout) { onProgress(.databaseUnreachable($0)) }
        let setting = "SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit'"
        guard try connection.row(setting, [], { try $0[0] as String }) != "off" else {
            throw DatabaseStartupError.postgresNotDurable
        }
        // SQL_ASCII stores bytes as they are.
        let encoding =
            try connection.row("SELECT current_setting('server_encoding')", [], { try $0[0] as String }) ?? ""
        guard ["UTF8", "SQL_ASCII"].contains(encoding) else { throw DatabaseStartupError.postgresEncoding(encoding) }
        if migrates {
            _ = try PostgresSchema.migrate(connection, onProgress)
        } else if let missing = try PostgresSchema.status(connection).missing().first {
            throw DatabaseStartupError.olderSchema(missing.description)
        }
        return connection
    }

    // MARK: - Reading

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await perform(on: reading) { try Self.snapshot($0, body) }
    }

    /// Runs a single statement, which sees a consistent state without a transaction.
    package func query<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        let isTaken = reading.submit { connection in completion(Result { try body(try connection.get()) }) }
        if !isTaken { completion(.failure(Self.overloaded)) }
    }

    package func readNow<Value: Sendable>(_ body: (any SQLConnection) throws -> Value) throws -> Value {
        try performNow { try Self.snapshot($0, body) }
    }

    private static func snapshot<Value>(
        _ connection: PostgresConnection,
        _ body: (any SQLConnection) throws -> Value
    ) throws -> Value {
        try connection.transaction(["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"]) { try body(connection) }
    }

    // MARK: - Writing

    package func durably<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await perform(on: durable) { [self] connection in try transaction(isDurable: true, connection, body) }
    }

    package func change<Value: Sendable>(
        _ id: SessionID,
        _ decide: @escaping @Sendable (SessionRow) -> SessionChange<Value>,
        completion: @escaping @Sendable (Result<Value?, any Error>) -> Void
    ) {
        let job = RotationJob(id, decide, completion: completion)
        if durableChanges.contains(id) {
            durableChanges.enqueue([job])
        } else if !rotations.submit(job) {
            completion(.failure(Self.overloaded))
        }
    }

    package func enqueueBestEffort(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Void,
        otherwise dropped: @escaping @Sendable () -> Void
    ) {
        let isTaken = reading.submit { [counters] connection in
            let start = ContinuousClock.now
            do {
                let connection = try connection.get()
                // The default isolation and no retry are sufficient: such a body only inserts or increments values, and
                // makes no decision.
                try connection.transaction(["BEGIN"]) { try body(connection) }
                counters.recordCommit(isDurable: false, ContinuousClock.now - start)
            } catch {
                dropped()
            }
        }
        if !isTaken { dropped() }
    }

    @discardableResult
    package func backgroundWrite<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await perform(on: reading) { [self] connection in try transaction(isDurable: false, connection, body) }
    }

    /// Does nothing: PostgreSQL checkpoints automatically.
    package func checkpoint() async {}

    package func writeNow<Value: Sendable>(_ body: (any SQLConnection) throws -> Value) throws -> Value {
        try performNow { try transaction(isDurable: true, $0, body) }
    }

    /// Runs `body` in a transaction, and again after a conflict with another transaction.
    ///
    /// Durable transactions are serialisable. Background writes need no more than a guarantee that they do not lose
    /// other transactions' writes.
    private func transaction<Value>(
        isDurable: Bool,
        _ connection: PostgresConnection,
        _ body: (any SQLConnection) throws -> Value
    ) throws -> Value {
        let begin =
            isDurable
            ? ["BEGIN ISOLATION LEVEL SERIALIZABLE", PostgresConnection.durable]
            : ["BEGIN ISOLATION LEVEL REPEATABLE READ"]
        for attempt in 1... {
            let start = ContinuousClock.now
            do {
                let value = try connection.transaction(begin) { try body(connection) }
                counters.recordCommit(isDurable: isDurable, ContinuousClock.now - start)
                return value
            } catch let error as SQLError where error.isConflict && attempt < Self.attempts {
                Thread.sleep(forTimeInterval: Double.random(in: 0...0.001 * Double(1 << min(attempt, 6))))
            }
        }
        throw SQLError.busy
    }

    // MARK: - Connections

    static var overloaded: APIError { .overloaded("too many requests wait for the database") }

    /// Runs `body` on one of a pool's connections.
    private func perform<Value: Sendable>(
        on pool: PostgresPool<ConnectionJob>,
        _ body: @escaping @Sendable (PostgresConnection) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let isTaken = pool.submit { connection in
                continuation.resume(with: Result { try body(try connection.get()) })
            }
            if !isTaken { continuation.resume(throwing: Self.overloaded) }
        }
    }

    private func performNow<Value>(_ body: (PostgresConnection) throws -> Value) throws -> Value {
        try commandConnection.withLockedValue { commandConnection in
            if commandConnection?.isAlive != true { commandConnection = nil }
            let connection = try commandConnection ?? durableConnector.connect()
            commandConnection = connection
            return try body(connection)
        }
    }

    /// Readers see a commit after its flush, and a failed flush ends PostgreSQL's process.
    package var mayLoseCommits: Bool { false }

    // MARK: - Metrics

    package var queueLength: Int { reading.queueLength + durable.queueLength + rotations.queueLength }
    package var commits: Int { counters.commits }
    package var flushes: Int { counters.flushes }

    /// The size of the database as last queried, so that reading it does not wait for the database.
    package var sizes: [(part: String, bytes: Int)] {
        let mustAsk = size.withLockedValue { size in
            if let askedAt = size.askedAt, ContinuousClock.now - askedAt < Self.sizeAge { return false }
            size.askedAt = .now
            return true
        }
        if mustAsk {
            _ = reading.submit { [size] connection in
                let bytes = try? connection.get().number("SELECT pg_database_size(current_database())")
                size.withLockedValue { $0.bytes = bytes ?? $0.bytes }
            }
        }
        return size.withLockedValue(\.bytes).map { [("database", Int($0))] } ?? []
    }

    /// Throws an error, because `pg_dump` copies a PostgreSQL database.
    package func copy(to file: URL) throws { throw DatabaseStartupError.backupUnsupported }

    /// Closes the connections for durable transactions at once, and lets the others finish.
    package func failWaitingCommits() { durableConnector.sockets.shutDown() }

    package func close() throws { try detach() }

    package func detach() throws {
        // It hands over changes to the durable connections.
        rotations.close()
        durable.close()
        reading.close()
        commandConnection.withLockedValue { $0 = nil }
    }
}
