// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Dispatch
    import NIOCore

    /// An event loop whose tasks are steps of the simulation, in the order in which they were submitted.
    final class SimulatedEventLoop: EventLoop, @unchecked Sendable {
        private var tasks = CircularBuffer<() -> Void>()
        /// Whether a task of this loop runs, and not a task of the concurrency runtime.
        private(set) var inEventLoop = false

        var now: NIODeadline { .uptimeNanoseconds(UInt64(SimulationExecutor.shared.now.wholeNanoseconds)) }

        func execute(_ task: @escaping @Sendable () -> Void) { enqueue(task) }

        private func enqueue(_ task: @escaping () -> Void) {
            tasks.append(task)
            SimulationExecutor.shared.schedule { [self] in
                guard let first = tasks.popFirst() else { return }
                inEventLoop = true
                first()
                inEventLoop = false
            }
        }

        @preconcurrency
        func scheduleTask<T>(deadline: NIODeadline, _ task: @escaping @Sendable () throws -> T) -> Scheduled<T> {
            let promise = makePromise(of: T.self)
            nonisolated(unsafe) var isCancelled = false
            let delay = max((deadline - now).nanoseconds, 0)
            SimulationExecutor.shared.schedule(after: .nanoseconds(delay)) { [self] in
                guard !isCancelled else { return }
                enqueue {
                    guard !isCancelled else { return }
                    do { promise.assumeIsolated().succeed(try task()) } catch { promise.fail(error) }
                }
            }
            return Scheduled(promise: promise) { isCancelled = true }
        }

        @preconcurrency
        func scheduleTask<T>(in delay: TimeAmount, _ task: @escaping @Sendable () throws -> T) -> Scheduled<T> {
            scheduleTask(deadline: now + delay, task)
        }

        func shutdownGracefully(queue: DispatchQueue, _ callback: @escaping @Sendable ((any Error)?) -> Void) {
            fatalError("a simulated event loop is not shut down")
        }
    }
#endif
