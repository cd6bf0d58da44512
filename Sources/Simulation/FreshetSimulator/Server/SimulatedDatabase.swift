// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FreshetDatabase
    import FreshetEngine
    import FreshetWire
    import GRDBSQLite

    /// The database of one server process: the server's own SQL and batches of writes, on the disk of its machine.
    ///
    /// Each batch and each query is a step of its own, some milliseconds after it was enqueued.
    final class SimulatedDatabase: ServerDatabase, @unchecked Sendable {
        private let connection: SQLiteConnection
        private let writes: WriteBatcher
        private let thread: SimulatedThread

        init(on disk: SimulatedDisk, delay: @escaping () -> Duration) throws {
            connection = try disk.open()
            let thread = SimulatedThread(connection, delay: delay)
            self.thread = thread
            writes = WriteBatcher(on: { thread.submit($0) })
        }

        /// Ends all accesses, as the end of the process does; an open batch was committed or is lost.
        func kill() {
            guard !thread.isClosed else { return }
            thread.isClosed = true
            Self.close(connection)
        }

        /// Closes a connection, without a checkpoint.
        static func close(_ connection: SQLiteConnection) {
            connection.finalize()
            sqlite3_close(connection.handle)
        }

        // MARK: - Reading

        func read<Value: Sendable>(
            _ body: @escaping @Sendable (any SQLConnection) throws -> Value
        ) async throws -> Value {
            try await thread.run { connection in try connection.inSnapshot { try body(connection) } }
        }

        func query<Value: Sendable>(
            _ body: @escaping @Sendable (any SQLConnection) throws -> Value,
            completion: @escaping @Sendable (Result<Value, any Error>) -> Void
        ) {
            thread.submit { connection in completion(Result { try body(try connection.get()) }) }
        }

        func readNow<Value: Sendable>(_ body: (any SQLConnection) throws -> Value) throws -> Value {
            try thread.now { connection in try connection.inSnapshot { try body(connection) } }
        }

        // MARK: - Writing

        func durably<Value: Sendable>(
            _ body: @escaping @Sendable (any SQLConnection) throws -> Value
        ) async throws -> Value {
            try await writes.durably(body)
        }

        func change<Value: Sendable>(
            _ id: SessionID,
            _ decide: @escaping @Sendable (SessionRow) -> SessionChange<Value>,
            completion: @escaping @Sendable (Result<Value?, any Error>) -> Void
        ) {
            writes.change(id, decide, completion: completion)
        }

        func enqueueBestEffort(
            _ body: @escaping @Sendable (any SQLConnection) throws -> Void,
            otherwise dropped: @escaping @Sendable () -> Void
        ) {
            writes.enqueueBestEffort(body, otherwise: dropped)
        }

        @discardableResult
        func backgroundWrite<Value: Sendable>(
            _ body: @escaping @Sendable (any SQLConnection) throws -> Value
        ) async throws -> Value {
            try await thread.run { connection in try connection.inTransaction { try body(connection) } }
        }

        func writeNow<Value: Sendable>(_ body: (any SQLConnection) throws -> Value) throws -> Value {
            try thread.now { connection in
                try connection.runScript("PRAGMA synchronous = FULL")
                defer { try? connection.runScript("PRAGMA synchronous = NORMAL") }
                return try connection.inTransaction { try body(connection) }
            }
        }

        func checkpoint() async { try? thread.now { try $0.runScript("PRAGMA wal_checkpoint(PASSIVE)") } }

        // MARK: - Metrics and commands

        var queueLength: Int { writes.queueLength }
        var commits: Int { 0 }
        var flushes: Int { 0 }
        var sizes: [(part: String, bytes: Int)] { [] }
        func copy(to file: URL) throws { throw DiskFault() }
        func close() throws { kill() }
        func detach() throws { kill() }
    }

    /// The thread of a connection: runs work in order, each piece as a step of its own.
    final class SimulatedThread: @unchecked Sendable {
        var isClosed = false
        private let connection: SQLiteConnection
        private let delay: () -> Duration
        private var waiting: [@Sendable (Result<SQLiteConnection, any Error>) -> Void] = []

        init(_ connection: SQLiteConnection, delay: @escaping () -> Duration) {
            self.connection = connection
            self.delay = delay
        }

        func submit(_ work: @escaping @Sendable (Result<SQLiteConnection, any Error>) -> Void) {
            waiting.append(work)
            if waiting.count == 1 { schedule() }
        }

        private func schedule() {
            SimulationExecutor.shared.schedule(after: isClosed ? .zero : delay()) { [self] in
                let work = waiting.removeFirst()
                if !waiting.isEmpty { schedule() }
                work(isClosed ? .failure(ProcessEnded()) : .success(connection))
            }
        }

        /// Runs `body` as a step of its own, and returns its value.
        func run<Value: Sendable>(_ body: @escaping @Sendable (SQLiteConnection) throws -> Value) async throws -> Value
        {
            try await withCheckedThrowingContinuation { continuation in
                submit { connection in continuation.resume(with: Result { try body(try connection.get()) }) }
            }
        }

        /// Runs `body` at once, at the start of a server.
        func now<Value>(_ body: (SQLiteConnection) throws -> Value) throws -> Value {
            guard !isClosed else { throw ProcessEnded() }
            return try body(connection)
        }
    }

    /// The error of everything that a killed process still attempts.
    struct ProcessEnded: Error {}
#endif
