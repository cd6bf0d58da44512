// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import NIOConcurrencyHelpers

/// Delays refusals, to slow down clients that retry in a loop without honouring `Retry-After`.
///
/// A delayed refusal occupies one of the waiting slots and a timer, but uses no CPU time.
package final class Tarpit: Sendable {
    private let maximumWaiters: Int
    private let pause: @Sendable () async throws -> Void
    private let waiting = NIOLockedValueBox(0)

    /// Creates a tarpit.
    ///
    /// - Parameters:
    ///   - maximumWaiters: The maximum number of delayed refusals; a further one is sent at once.
    ///   - pause: Waits for the length of the delay.
    init(
        maximumWaiters: Int = 1024,
        pause: @escaping @Sendable () async throws -> Void = { try await Task.sleep(for: .milliseconds(500)) }
    ) {
        self.maximumWaiters = maximumWaiters
        self.pause = pause
    }

    /// Returns after the delay, or at once if the request is cancelled.
    func wait() async {
        let isDelayed = waiting.withLockedValue { waiting in
            guard waiting < maximumWaiters else { return false }
            waiting += 1
            return true
        }
        guard isDelayed else { return }
        try? await pause()
        waiting.withLockedValue { $0 -= 1 }
    }
}
