// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FreshetDatabase
    import FreshetEngine
    import FreshetWire

    /// The database as one server process sees it: the server's own SQL and batches of writes.
    ///
    /// Each batch and each query is a step of its own. Several servers of one host stand for those of one PostgreSQL, whose
    /// transactions on a session run one after the other.
    final class SimulatedDatabase: ServerDatabase, @unchecked Sendable {
        private let host: DatabaseHost
        private let isShared: Bool
        private let writes: WriteBatcher
        private let access: Access

        /// - Parameters:
        ///   - host: The host, whose database is open.
        ///   - isShared: Whether the host goes on when this process ends.
        init(on host: DatabaseHost, isShared: Bool) {
            self.host = host
            self.isShared = isShared
            let access = Access(host)
            self.access = access
            writes = WriteBatcher(on: { access.submit($0) })
        }

        /// Ends all accesses, as the end of the process does; an open batch was committed or is lost.
        func kill() {
            access.isClosed = true
            if !isShared { host.close() }
        }

        // MARK: - Reading

        func read<Value: Sendable>(
            _ body: @escaping @Sendable (any SQLConnection) throws -> Value
        ) async throws -> Value {
            try await access.run { connection in try connection.inSnapshot { try body(connection) } }
        }

        func query<Value: Sendable>(
            _ body: @escaping @Sendable (any SQLConnection) throws -> Value,
            completion: @escaping @Sendable (Result<Value, any Error>) -> Void
        ) {
            access.submit { connection in completion(Result { try body(try connection.get()) }) }
        }

        func readNow<Value: Sendable>(_ body: (any SQLConnection) throws -> Value) throws -> Value {
            try access.now { connection in try connection.inSnapshot { try body(connection) } }
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
            try await access.run { connection in try connection.inTransaction { try body(connection) } }
        }

        func writeNow<Value: Sendable>(_ body: (any SQLConnection) throws -> Value) throws -> Value {
            try access.now { connection in
                try connection.runScript("PRAGMA synchronous = FULL")
                defer { try? connection.runScript("PRAGMA synchronous = NORMAL") }
                return try connection.inTransaction { try body(connection) }
            }
        }

        func checkpoint() async { try? access.now { try $0.runScript("PRAGMA wal_checkpoint(PASSIVE)") } }

        // MARK: - Metrics and commands

        var queueLength: Int { writes.queueLength }
        var commits: Int { 0 }
        var flushes: Int { 0 }
        var sizes: [(part: String, bytes: Int)] { [] }
        func copy(to file: URL) throws { throw DiskFault() }
        func close() throws { kill() }
        func detach() throws { kill() }
    }

    /// The access of one process to a host.
    private final class Access: @unchecked Sendable {
        var isClosed = false
        private let host: DatabaseHost

        init(_ host: DatabaseHost) { self.host = host }

        func submit(_ work: @escaping DatabaseHost.Work) {
            host.submit { [self] connection in work(isClosed ? .failure(ProcessEnded()) : connection) }
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
            return try body(try host.current())
        }
    }
#endif
