// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ServiceLifecycle

/// Sleeps like `Task.sleep(for:)`, and ends early when the service group shuts down gracefully.
///
/// Most services of a server sleep most of the time, and one of them wakes every second. `cancelWhenGracefulShutdown` takes
/// a task group, two tasks and an actor each time.
///
/// - Throws: `CancellationError` if the task is cancelled or the service group shuts down.
package func sleepUntilShutdown(for duration: Duration) async throws {
    let sleep = Task { try await Task.sleep(for: duration) }
    try await withTaskCancellationOrGracefulShutdownHandler {
        try await sleep.value
    } onCancelOrGracefulShutdown: {
        sleep.cancel()
    }
}
