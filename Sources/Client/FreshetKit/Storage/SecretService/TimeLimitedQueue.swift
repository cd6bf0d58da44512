// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    internal import Dispatch
    internal import Foundation

    /// Runs calls that may hang, one after the other, each with a timeout.
    ///
    /// A call that times out is cancelled, and the next one starts only after it has ended, so that a late effect
    /// cannot follow a later call.
    final class TimeLimitedQueue: Sendable {
        /// The queue of the process, which has one connection to the bus.
        static let shared = TimeLimitedQueue()

        private let turn = DispatchSemaphore(value: 1)

        /// Runs `body` on a separate thread.
        ///
        /// - Parameters:
        ///   - timeout: The timeout for waiting for earlier calls and for the result.
        ///   - lock: Held until `body` has ended, even after the timeout.
        ///   - cancel: Cancels `body`; called at most once, from another thread, after the timeout.
        ///   - body: The work, which may hang.
        /// - Returns: The result of `body`.
        /// - Throws: The error of `body`; one of kind `locked` after the timeout.
        func run<Value: Sendable>(
            within timeout: Duration,
            holding lock: FileLock? = nil,
            cancel: () -> Void,
            _ body: @escaping @Sendable () throws(SessionStoreError) -> Value
        ) throws(SessionStoreError) -> Value {
            // DispatchTime's clock is not affected by changes of the wall clock.
            let end = DispatchTime.now() + max(0, timeout.inSeconds)
            guard turn.wait(timeout: end) == .success else {
                lock?.release()
                throw Self.fault(timeout)
            }
            let answer = Locked<Result<Value, SessionStoreError>?>(nil)
            let done = DispatchSemaphore(value: 0)
            let turn = turn
            Thread.detachNewThread {
                let result = Result { () throws(SessionStoreError) in try body() }
                answer.withLock { $0 = result }
                lock?.release()
                turn.signal()
                done.signal()
            }
            guard done.wait(timeout: end) == .success, let answer = answer.withLock({ $0 }) else {
                cancel()
                throw Self.fault(timeout)
            }
            return try answer.get()
        }

        private static func fault(_ timeout: Duration) -> SessionStoreError {
            let time = "\(timeout.formattedSeconds) s"
            return SessionStoreError(
                .locked,
                "the Secret Service did not respond within \(time); the user may have to unlock it"
            )
        }
    }
#endif
