// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetEngine
package import FreshetWire

/// The persistent storage of a server: users, sessions, and their events.
///
/// The database may run a body again, so a body must have no effects other than reads and writes through its
/// connection. An error that it throws rolls back its writes and is rethrown; an error of the database is an
/// ``SQLError``. After an error of kind `transient`, it is unknown whether a write was committed, and the client
/// retries.
package protocol ServerDatabase: AnyObject, Sendable {
    /// Runs `body` on a snapshot of the database, which contains every write confirmed before.
    func read<Value: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> Value) async throws -> Value

    /// Runs a single query for a caller without a task; it sees every write confirmed before.
    ///
    /// - Parameters:
    ///   - body: Runs the query.
    ///   - completion: Called on the database's thread; with `APIError.overloaded` if too many jobs are queued.
    func query<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    )

    /// Runs ``read(_:)`` synchronously, at startup and for commands.
    func readNow<Value: Sendable>(_ body: (any SQLConnection) throws -> Value) throws -> Value

    /// Runs `body` in a separate serialisable transaction, and returns once it is on disk.
    ///
    /// - Throws: `APIError.overloaded` if too many writes are queued.
    func durably<Value: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> Value) async throws -> Value

    /// Changes one session by `decide`, which is called again if its row was changed in the meantime.
    ///
    /// If the database's machine fails, the latest of these changes may be lost, in order; a change that must be
    /// durable is on disk before its caller is answered.
    ///
    /// - Parameters:
    ///   - id: The session.
    ///   - decide: Decides the change of its row; may be called again.
    ///   - completion: Called on the database's thread: with the decision's value, or `nil` if there is no such
    ///     session, or with `APIError.overloaded` if too many writes are queued.
    func change<Value: Sendable>(
        _ id: SessionID,
        _ decide: @escaping @Sendable (SessionRow) -> SessionChange<Value>,
        completion: @escaping @Sendable (Result<Value?, any Error>) -> Void
    )

    /// Enqueues `body` in a separate transaction, for writes without a waiting caller that may be lost.
    ///
    /// It is queued when this returns, and reads its data when it runs. It is dropped if too many writes are queued or
    /// the database cannot write; `dropped` is called then, and after a failed transaction.
    func enqueueBestEffort(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Void,
        otherwise dropped: @escaping @Sendable () -> Void
    )

    /// Performs a write outside of a request, in a separate transaction that does not have to be durable.
    @discardableResult
    func backgroundWrite<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value

    /// Waits until all writes so far are checkpointed, which limits bulk writes to the speed of the disk.
    func checkpoint() async

    /// Runs ``durably(_:)`` synchronously, at startup and for commands.
    func writeNow<Value: Sendable>(_ body: (any SQLConnection) throws -> Value) throws -> Value

    /// Whether a durable commit that queries see may not be on disk yet.
    ///
    /// If it is `false` after a query, each durable commit that the query saw is on disk.
    var mayLoseCommits: Bool { get }

    /// The number of queued writes.
    var queueLength: Int { get }
    /// The number of committed transactions.
    var commits: Int { get }
    /// The number of flushes to the disk that a write waited for.
    var flushes: Int { get }
    /// The size of each part in bytes.
    var sizes: [(part: String, bytes: Int)] { get }

    /// Copies a snapshot of the database into an existing, empty file, without blocking other accesses.
    func copy(to file: URL) throws

    /// Fails the durable transactions in progress, and those that follow, if they may wait without end, such as for a
    /// standby.
    ///
    /// They may be stored all the same.
    func failWaitingCommits()

    /// Finishes the writes in progress, and closes the database.
    func close() throws

    /// Closes the database after a command, without the work that is left to a server that may be using it.
    func detach() throws
}

extension ServerDatabase {
    /// Does nothing: the disk of this machine is all that a commit waits for.
    package func failWaitingCommits() {}

    /// Changes one session as ``change(_:_:completion:)`` does, and returns the result.
    package func change<Value: Sendable>(
        _ id: SessionID,
        _ decide: @escaping @Sendable (SessionRow) -> SessionChange<Value>
    ) async throws -> Value? {
        try await withCheckedThrowingContinuation { continuation in
            change(id, decide) { continuation.resume(with: $0) }
        }
    }
}
