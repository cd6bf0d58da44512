// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import NIOConcurrencyHelpers

/// Holds refusals back for a moment, so that whoever asks in a loop asks seldom: `Retry-After` binds the polite alone.
///
/// A refusal that waits costs its place and a timer, and no processor's time of the others'.
package final class Tarpit: Sendable {
    private let maximumWaiters: Int
    private let pause: @Sendable () async throws -> Void
    private let waiting = NIOLockedValueBox(0)

    /// - Parameters:
    ///   - maximumWaiters: So many refusals wait at most; a further one is given at once.
    ///   - pause: How long each waits.
    init(
        maximumWaiters: Int = 1024,
        pause: @escaping @Sendable () async throws -> Void = { try await Task.sleep(for: .milliseconds(500)) }
    ) {
        self.maximumWaiters = maximumWaiters
        self.pause = pause
    }

    /// Returns when a refusal may be given; at once if its request was cancelled.
    package func wait() async {
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
