// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Why an operation brought nothing.
enum DeadlineFailure: Error {
    /// It took too long; it may still do its work.
    case timedOut
    /// The caller was cancelled.
    case cancelled
    /// It failed by itself.
    case failed(any Error)
}

/// Runs `operation` and waits for it until `deadline` at the latest, even if it does not heed cancellation.
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
        guard (try? await clock.sleep(until: deadline, for: .limit("of a request"))) != nil else { return }
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
