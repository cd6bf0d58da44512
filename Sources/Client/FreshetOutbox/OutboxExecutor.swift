// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Dispatch
internal import FreshetKit

/// Runs the file operations of an outbox one after the other, off the threads of Swift's concurrency.
package struct OutboxExecutor: Sendable {
    /// Runs an operation after those before, and passes whether the executor is active.
    let enqueue: @Sendable (_ operation: @escaping @Sendable (_ isActive: Bool) -> Void) -> Void
    /// The maximum number of threads that write the items of one call.
    let threads: Int

    /// Creates an executor.
    ///
    /// - Parameters:
    ///   - threads: The maximum number of threads that write the items of one call; one for the executor's own thread.
    ///   - enqueue: Runs an operation after those before; without an active executor, the operation fails.
    package init(
        threads: Int,
        _ enqueue: @escaping @Sendable (_ operation: @escaping @Sendable (_ isActive: Bool) -> Void) -> Void
    ) {
        self.threads = threads
        self.enqueue = enqueue
    }

    /// Returns an executor with a dispatch queue of its own.
    ///
    /// A disk syncs several files in hardly more time than one.
    static func dispatchQueue() -> OutboxExecutor {
        let queue = DispatchQueue(label: "freshet.outbox", qos: .userInitiated)
        return OutboxExecutor(threads: 8) { operation in queue.async { operation(true) } }
    }

    /// Runs `body`, and returns its value.
    ///
    /// - Throws: The error of `body`, or an error if the executor is no longer active.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(SessionStoreError) -> Value
    ) async throws(SessionStoreError) -> Value {
        let result: Result<Value, SessionStoreError> = await withCheckedContinuation { continuation in
            enqueue { isActive in
                continuation.resume(
                    returning: Result { () throws(SessionStoreError) in
                        guard isActive else { throw .inactive }
                        return try body()
                    }
                )
            }
        }
        return try result.get()
    }
}

extension SessionStoreError {
    /// The error of operations after the end of the executor.
    static let inactive = SessionStoreError(.failed, "the outbox's executor is no longer active")
}
