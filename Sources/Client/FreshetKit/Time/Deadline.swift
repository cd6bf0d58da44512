// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The reason that an operation with a deadline returned no value.
enum DeadlineFailure: Error {
    /// The deadline passed; the operation may still complete.
    case timedOut
    /// The calling task was cancelled.
    case cancelled
    /// The operation threw this error.
    case failed(any Error)
}

/// Runs `operation` and waits for it until `deadline`, even if it ignores cancellation.
func withDeadline<Value: Sendable>(
    _ deadline: Duration,
    on clock: SessionClock,
    operation: @escaping @Sendable () async throws -> Value
) async throws(DeadlineFailure) -> Value {
    let race = FirstResult<Result<Value, DeadlineFailure>>()
    let work = Task {
        do { race.finish(with: .success(try await operation())) } catch { race.finish(with: .failure(.failed(error))) }
    }
    let alarm = Task {
        guard (try? await clock.sleepUntilDeadline(deadline, "of a request")) != nil else { return }
        race.finish(with: .failure(.timedOut))
    }
    defer {
        work.cancel()
        alarm.cancel()
    }
    let result = await withTaskCancellationHandler {
        await race.value()
    } onCancel: {
        race.finish(with: .failure(.cancelled))
    }
    return try result.get()
}

extension SessionClock {
    /// The time by which a timer is late at most, unless the device or the process is suspended.
    package static let timerTolerance = Duration.milliseconds(50)

    /// Sleeps until the deadline of a response, and for a second more each time that the device or the process was
    /// suspended meanwhile.
    ///
    /// A response that has arrived by then is processed first: it may have the only successor of a refresh token. In the
    /// background a device often wakes up for less than a second.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before.
    func sleepUntilDeadline(_ deadline: Duration, _ description: StaticString) async throws {
        var end = deadline
        try await sleep(until: end, for: .limit(description))
        while now() - end > Self.timerTolerance {
            end = now() + .seconds(1)
            try await sleep(until: end, for: .limit(description))
        }
    }
}
