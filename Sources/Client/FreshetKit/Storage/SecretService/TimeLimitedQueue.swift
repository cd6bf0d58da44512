// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    internal import Dispatch
    internal import Foundation

    /// Makes calls that may hang, one after the other, and waits for each no longer than the caller has timeout.
    ///
    /// A call that is given up is cancelled, and the next begins only when it has ended: what it may still do cannot come
    /// after what a later call did.
    final class TimeLimitedQueue: Sendable {
        /// One for the process, as there is one connection to the bus.
        static let shared = TimeLimitedQueue()

        private let turn = DispatchSemaphore(value: 1)

        /// Runs `body` on a thread of its own.
        ///
        /// - Parameters:
        ///   - timeout: How long to wait for the turn and the answer together.
        ///   - lock: Held until `body` has ended, whether or not anybody still waits for it.
        ///   - cancel: Makes `body` end; called at most once, from another thread, when timeout is over.
        ///   - body: The work, which may hang.
        /// - Returns: The result of `body`.
        /// - Throws: The error of `body`; one of kind `locked` after the timeout.
        func run<Value: Sendable>(
            within timeout: Duration,
            holding lock: FileLock? = nil,
            cancel: () -> Void,
            _ body: @escaping @Sendable () throws(SessionStoreError) -> Value
        ) throws(SessionStoreError) -> Value {
            // The clock of DispatchTime does not jump when the wall clock is set.
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
