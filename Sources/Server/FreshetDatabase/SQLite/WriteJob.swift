// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A queued write.
protocol WriteJob: AnyObject, Sendable {
    /// The time at which it was enqueued.
    var since: ContinuousClock.Instant { get }

    /// Runs the write inside the batch's transaction.
    ///
    /// - Returns: The durability that its caller needs.
    func run(on connection: SQLiteConnection) -> WriteDurability

    /// Completes the write for its caller, with the error of the commit if there was one.
    func finish(_ error: (any Error)?)
}

/// A queued write that has a result.
final class Write<Value: Sendable>: WriteJob, @unchecked Sendable {
    // Unchecked: after it was enqueued, only the writer uses it.
    let since = ContinuousClock.now
    private let body: (SQLiteConnection) throws -> WriteResult<Value>
    private let completion: (Result<Value, any Error>) -> Void
    private var result: Result<Value, any Error> = .failure(SQLError.aborted)

    init(
        _ body: @escaping @Sendable (SQLiteConnection) throws -> WriteResult<Value>,
        _ completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        self.body = body
        self.completion = completion
    }

    func run(on connection: SQLiteConnection) -> WriteDurability {
        do {
            let written = try body(connection)
            result = .success(written.value)
            return written.durability
        } catch {
            result = .failure(error)
            return .none
        }
    }

    func finish(_ error: (any Error)?) { completion(error.map(Result.failure) ?? result) }
}
