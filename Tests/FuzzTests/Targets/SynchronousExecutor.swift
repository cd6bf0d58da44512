// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Synchronization

/// Runs asynchronous code, including that of actors, on the calling thread until it ends.
///
/// A target is synchronous, like libFuzzer; code that waits for time or for another thread does not end here.
final class SynchronousExecutor: TaskExecutor {
    /// A value of code that runs on one thread.
    final class Box<Value>: @unchecked Sendable {
        var value: Value

        init(_ value: Value) { self.value = value }
    }

    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs `body`.
    ///
    /// - Throws: The error of `body`, or a ``FuzzFinding`` if it waits for something.
    static func run(_ body: @escaping @Sendable () async throws -> Void) throws {
        let executor = SynchronousExecutor()
        let result = Box<Result<Void, any Error>?>(nil)
        let task = Task(executorPreference: executor) {
            do { result.value = .success(try await body()) } catch { result.value = .failure(error) }
        }
        while let job = executor.jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            job.runSynchronously(on: executor.asUnownedTaskExecutor())
        }
        guard let result = result.value else {
            task.cancel()
            throw FuzzFinding(description: "it waits")
        }
        try result.get()
    }
}
