// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import NIOPosix

/// Runs blocking work off the event loops and the threads of Swift's concurrency.
package struct BlockingExecutor: Sendable {
    private let submit: @Sendable (@escaping @Sendable (Bool) -> Void) -> Void
    private let stop: @Sendable () async throws -> Void

    /// Creates an executor.
    ///
    /// - Parameter submit: Runs work, which is passed whether the executor is active.
    package init(_ submit: @escaping @Sendable (@escaping @Sendable (Bool) -> Void) -> Void) {
        self.submit = submit
        stop = {}
    }

    private init(_ pool: NIOThreadPool) {
        pool.start()
        submit = { work in pool.submit { work($0 == .active) } }
        stop = { try await pool.shutdownGracefully() }
    }

    /// Runs each piece of work on a thread of its own.
    static let newThreads = BlockingExecutor { work in Thread.detachNewThread { work(true) } }

    /// Returns an executor with threads of its own.
    static func threads(_ count: Int) -> BlockingExecutor { BlockingExecutor(NIOThreadPool(numberOfThreads: count)) }

    /// Runs `body`, and returns its value.
    ///
    /// - Throws: The error of `body`, or `CancellationError` after a shutdown.
    func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            submit { isActive in
                continuation.resume(
                    with: Result {
                        guard isActive else { throw CancellationError() }
                        return try body()
                    }
                )
            }
        }
    }

    /// Stops the threads after the work that was submitted before.
    func shutDown() async throws { try await stop() }
}
