// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetEngine
package import FreshetMetrics
package import FreshetWire
import NIOConcurrencyHelpers
import Synchronization

/// A database that several servers share.
///
/// A session's change is a look at its row and a conditional write, which PostgreSQL answers before it is on disk. What must
/// hold together is a serialisable transaction, done again when another one was faster: two servers do what one would.
package final class PostgresDatabase: ServerDatabase {
    /// Something to do with a connection, or to tell if there is none.
    private typealias Job = @Sendable (Result<PostgresConnection, any Error>) -> Void

    /// So often a transaction is done again because another one wrote the same.
    private static let attempts = 12
    /// How old the figure of the database's size may be.
    private static let sizeAge = Duration.seconds(60)

    private struct Size {
        var bytes: Int64?
        var askedAt: ContinuousClock.Instant?
    }

    private let connector: PostgresConnector
    private let pool: PostgresPool<Job>
    private let rotations: PostgresPool<PostgresRotations.Job>
    /// For the time before the server runs, for commands, and for what runs beside the requests.
    private let commandConnection: NIOLockedValueBox<PostgresConnection?>
    private let size = NIOLockedValueBox(Size())
    private let counters: PostgresCounters

    /// Connects, and takes the schema's missing steps or, for a command, refuses a database that misses some.
    ///
    /// - Parameters:
    ///   - configuration: Where it is.
    ///   - limits: How many writes may wait.
    ///   - metrics: Told how long commits take.
    ///   - migrates: Whether the tables are brought up to date.
    ///   - onProgress: Told why that takes a while.
    /// - Throws: `DatabaseStartupError`.
    package init(
        _ configuration: PostgresConfiguration,
        limits: AdmissionLimits = AdmissionLimits(),
        metrics: ServerMetrics? = nil,
        migrates: Bool = true,
        onProgress: (StartupProgress) -> Void = { _ in }
    ) throws(DatabaseStartupError) {
        let connector = PostgresConnector(configuration)
        let counters = PostgresCounters(metrics)
        do { commandConnection = NIOLockedValueBox(try Self.first(connector, migrates: migrates, onProgress)) } catch {
            throw DatabaseStartupError(postgres: error)
        }
        self.connector = connector
        self.counters = counters
        // A rotation waits for no disk and for nobody else's rows: few connections do many.
        let lanes = configuration.rotationConnections
        rotations = PostgresPool(
            connector,
            threads: lanes,
            maximumQueueLength: limits.writes,
            maximumBatchSize: PostgresRotations.maximumBatchSize
        ) { [counters] jobs, connection in
            if let first = jobs.first { counters.recordWait(since: first.since) }
            switch connection {
            case .success(let connection): PostgresRotations(connection: connection, counters: counters).run(jobs)
            case .failure(let error): jobs.forEach { $0.fail(error) }
            }
        }
        pool = PostgresPool(
            connector,
            threads: max(1, configuration.connections - lanes),
            maximumQueueLength: limits.writes
        ) { jobs, connection in jobs.forEach { $0(connection) } }
    }

    /// The first connection, to a database that keeps what it says and has the tables that are wanted.
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
        try await perform { try Self.snapshot($0, body) }
    }

    /// One question is one statement, and sees one state without a transaction.
    package func query<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        let isTaken = pool.submit { connection in completion(Result { try body(try connection.get()) }) }
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
        try await perform { [self] connection in try transaction(isDurable: true, connection, body) }
    }

    package func change<Value: Sendable>(
        _ id: SessionID,
        _ decide: @escaping @Sendable (SessionRow) -> SessionChange<Value>,
        completion: @escaping @Sendable (Result<Value?, any Error>) -> Void
    ) {
        let job = PostgresRotations.Job(
            id: id,
            decide: { row in
                let change = decide(row)
                return PostgresRotations.Decision(
                    row: change.row,
                    record: change.record,
                    mustBeDurable: change.mustBeDurable,
                    complete: { completion(.success(change.value)) }
                )
            },
            fail: { error in completion(error.map(Result.failure) ?? .success(nil)) }
        )
        if !rotations.submit(job) { completion(.failure(Self.overloaded)) }
    }

    package func enqueueBestEffort(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Void,
        otherwise dropped: @escaping @Sendable () -> Void
    ) {
        let isTaken = pool.submit { [counters] connection in
            let start = ContinuousClock.now
            do {
                let connection = try connection.get()
                // Once, and each row by itself: such a body adds to rows and decides nothing.
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
        try await perform { [self] connection in try transaction(isDurable: false, connection, body) }
    }

    /// PostgreSQL sees to that by itself.
    package func checkpoint() async {}

    package func writeNow<Value: Sendable>(_ body: (any SQLConnection) throws -> Value) throws -> Value {
        try performNow { try transaction(isDurable: true, $0, body) }
    }

    /// Runs `body` again until no other transaction disturbs it.
    ///
    /// What decides about people is serialisable. What is written aside loses no other's write, and no more is asked of it.
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

    // MARK: - Turns

    private static var overloaded: APIError { .overloaded("too many wait for the database") }

    /// Runs `body` on one of the pool's connections.
    private func perform<Value: Sendable>(
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
            let connection = try commandConnection ?? connector.connect()
            commandConnection = connection
            return try body(connection)
        }
    }

    // MARK: - Looking on

    package var queueLength: Int { pool.queueLength + rotations.queueLength }
    package var commits: Int { counters.commits.load(ordering: .relaxed) }
    package var flushes: Int { counters.flushes.load(ordering: .relaxed) }

    /// The database, as the server counted it a while ago: nobody who looks on waits for that.
    package var sizes: [(part: String, bytes: Int)] {
        let mustAsk = size.withLockedValue { size in
            if let askedAt = size.askedAt, ContinuousClock.now - askedAt < Self.sizeAge { return false }
            size.askedAt = .now
            return true
        }
        if mustAsk {
            _ = pool.submit { [size] connection in
                let bytes = try? connection.get().number("SELECT pg_database_size(current_database())")
                size.withLockedValue { $0.bytes = bytes ?? $0.bytes }
            }
        }
        return size.withLockedValue(\.bytes).map { [("database", Int($0))] } ?? []
    }

    /// Refuses: `pg_dump` copies.
    package func copy(to file: URL) throws { throw DatabaseStartupError.backupUnsupported }

    package func close() throws { try detach() }

    package func detach() throws {
        rotations.close()
        pool.close()
        commandConnection.withLockedValue { $0 = nil }
    }
}
