// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FreshetDatabase
    import FreshetEngine
    import FreshetWire

    /// SQLite as its server's process sees it: the server's own SQL and batches of writes.
    ///
    /// Each batch and each query is a step of its own.
    final class SimulatedDatabase: ServerProcessDatabase, @unchecked Sendable {
        private let host: DatabaseHost
        private let writes: WriteBatcher
        private let trust: WALTrust
        let access: DatabaseAccess
        /// Called when changes were committed whose flush failed: no caller is told of them, and readers see them.
        private let didFailToFlush = Callback()

        /// - Parameters:
        ///   - host: The host, whose database is open.
        ///   - faults: Receives what was committed although its flush failed.
        init(on host: DatabaseHost, _ faults: DatabaseFaults? = nil) {
            self.host = host
            let access = DatabaseAccess(host)
            self.access = access
            let trust = WALTrust()
            self.trust = trust
            // As the server does when it starts.
            do { try access.now { try $0.restartWAL() } } catch { trust.becameUnknown() }
            writes = WriteBatcher(
                didCommit: { [didFailToFlush] connection in
                    guard trust.mustRestart else { return }
                    try? faults?.loseOutcome(on: connection)
                    didFailToFlush.body()
                },
                trust: trust,
                on: { access.submit($0) }
            )
        }

        /// Calls `body` when changes were committed whose flush failed.
        func onFailedFlush(_ body: @escaping () -> Void) { didFailToFlush.body = body }

        /// Ends all accesses, as the end of the process does; an open batch was committed or is lost.
        func kill() {
            access.isClosed = true
            // It keeps the server, which has this database.
            didFailToFlush.body = {}
            host.close()
        }

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

        /// Writes at once, and notes a failed flush, as the server's own database does.
        func writeNow<Value: Sendable>(_ body: (any SQLConnection) throws -> Value) throws -> Value {
            try access.now { connection in
                if trust.mustRestart { try trust.restore(with: connection) }
                do { return try connection.inTransaction(isDurable: true) { try body(connection) } } catch {
                    trust.failed(error)
                    throw error
                }
            }
        }

        @discardableResult
        func backgroundWrite<Value: Sendable>(
            _ body: @escaping @Sendable (any SQLConnection) throws -> Value
        ) async throws -> Value {
            try await access.run { connection in try connection.inTransaction { try body(connection) } }
        }

        /// Moves the pages of the WAL into the database, as the server's own checkpointer does in the background.
        func checkpoint() async {
            guard !trust.mustRestart else { return }
            do { try access.now { try $0.runScript("PRAGMA wal_checkpoint(PASSIVE)") } } catch { trust.failed(error) }
        }

        var mayLoseCommits: Bool { writes.mayLoseCommits }

        var queueLength: Int { writes.queueLength }
    }

    private final class Callback: @unchecked Sendable {
        // Unchecked: the simulator has one thread.
        var body: () -> Void = {}
    }
#endif
