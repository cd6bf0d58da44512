// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetEngine
package import FreshetWire

/// Where everything lies that must outlive the server: users, sessions, and what happened to them.
///
/// A body may be run again if the database asks for it, and does nothing that cannot be done twice but read and write
/// through its connection. What it throws undoes what it wrote and is thrown on; what the database itself has to say is an
/// ``SQLError``. Whether a write came to be is not known after one of kind `transient`: the client asks again.
package protocol ServerDatabase: AnyObject, Sendable {
    /// Runs `body` on one state of the database that no write disturbs; everything whose answer is out is in it.
    func read<Value: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> Value) async throws -> Value

    /// Asks one question, for whoever has no task that waits; everything whose answer is out is in what it finds.
    ///
    /// - Parameters:
    ///   - body: Asks it.
    ///   - completion: Called where the database works; with `APIError.overloaded` if too many wait.
    func query<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    )

    /// As ``read(_:)``, for the time before the server runs, and for commands.
    func readNow<Value: Sendable>(_ body: (any SQLConnection) throws -> Value) throws -> Value

    /// Runs `body` in a transaction of its own, as if no other ran meanwhile, and returns once it is on disk.
    ///
    /// - Throws: `APIError.overloaded` if too many writes wait.
    func durably<Value: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> Value) async throws -> Value

    /// Changes one session as `decide` says from its row; decides anew if somebody else changed it meanwhile.
    ///
    /// The last such changes may be lost if the database's machine fails, in their order; one that says that it must be durable
    /// is on disk before its caller is answered.
    ///
    /// - Parameters:
    ///   - id: The session.
    ///   - decide: Says what becomes of its row; may be asked again.
    ///   - completion: Called where the database works: with what was decided, or `nil` if there is no such session, or with
    ///     `APIError.overloaded` if too many writes wait.
    func change<Value: Sendable>(
        _ id: SessionID,
        _ decide: @escaping @Sendable (SessionRow) -> SessionChange<Value>,
        completion: @escaping @Sendable (Result<Value?, any Error>) -> Void
    )

    /// Puts `body` in line, in a transaction of its own, for writes that nobody waits for and that may be lost.
    ///
    /// It takes its turn when this returns: what it finds to write then, it writes. It is dropped if too many writes wait
    /// or nothing can be written; `dropped` is told of that, and of a transaction that failed.
    func enqueueBestEffort(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Void,
        otherwise dropped: @escaping @Sendable () -> Void
    )

    /// Writes beside the requests, in a transaction of its own that need not be durable.
    @discardableResult
    func backgroundWrite<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value

    /// Has what was written until now settle, and waits for that: whoever goes on writing much must not be faster than the disk.
    func checkpoint() async

    /// Writes for a command, or before the server runs, and returns once it is on disk.
    func writeNow<Value: Sendable>(_ body: (any SQLConnection) throws -> Value) throws -> Value

    /// How many writes wait.
    var queueLength: Int { get }
    /// How many transactions were committed.
    var commits: Int { get }
    /// How many times somebody waited for the disk.
    var flushes: Int { get }
    /// How many bytes each part takes.
    var sizes: [(part: String, bytes: Int)] { get }

    /// Copies the database, as it is at one moment, into a file that is there and empty, while others read and write.
    func copy(to file: URL) throws

    /// Finishes the writes under way, and lets go of the database.
    func close() throws

    /// Lets go of a database that a server may be running on.
    func detach() throws
}

extension ServerDatabase {
    /// As ``change(_:_:completion:)``, for whoever waits.
    package func change<Value: Sendable>(
        _ id: SessionID,
        _ decide: @escaping @Sendable (SessionRow) -> SessionChange<Value>
    ) async throws -> Value? {
        try await withCheckedThrowingContinuation { continuation in
            change(id, decide) { continuation.resume(with: $0) }
        }
    }
}
