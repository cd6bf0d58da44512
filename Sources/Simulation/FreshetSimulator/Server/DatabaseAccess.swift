// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FreshetDatabase

    /// The database of one server process.
    protocol ServerProcessDatabase: ServerDatabase {
        var access: DatabaseAccess { get }

        /// Ends all accesses, as the end of the process does; an open batch was committed or is lost.
        func kill()
    }

    /// Reads, commands and figures, which do not depend on the kind of the database.
    extension ServerProcessDatabase {
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

        func writeNow<Value: Sendable>(_ body: (any SQLConnection) throws -> Value) throws -> Value {
            try access.now { connection in try connection.inTransaction(isDurable: true) { try body(connection) } }
        }

        var commits: Int { 0 }
        var flushes: Int { 0 }
        var sizes: [(part: String, bytes: Int)] { [] }
        func copy(to file: URL) throws { throw DiskFault() }
        func close() throws { kill() }
        func detach() throws { kill() }
    }

    extension SQLiteConnection {
        /// Runs `body` in a transaction, whose commit is flushed to the disk if it is durable.
        func inTransaction<Value>(isDurable: Bool, _ body: () throws -> Value) throws -> Value {
            guard isDurable else { return try inTransaction(body) }
            try setFullSynchronization(true)
            defer { try? setFullSynchronization(false) }
            return try inTransaction(body)
        }
    }

    /// The access of one process to a host.
    final class DatabaseAccess: @unchecked Sendable {
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
        func now<Value>(_ body: (SQLiteConnection) throws -> Value) throws -> Value { try body(try current()) }

        /// The open connection.
        ///
        /// - Throws: `ProcessEnded` if the process or the database's has ended.
        func current() throws -> SQLiteConnection {
            guard !isClosed else { throw ProcessEnded() }
            return try host.current()
        }
    }
#endif
