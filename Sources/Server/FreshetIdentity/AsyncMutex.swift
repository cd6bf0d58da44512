// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import NIOConcurrencyHelpers

/// A lock that is held across suspension points; waiters get it in the order in which they came.
package final class AsyncMutex: Sendable {
    private struct State {
        var isLocked = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = NIOLockedValueBox(State())

    package init() {}

    /// The number of callers that wait for the lock.
    package var waiterCount: Int { state.withLockedValue { $0.waiters.count } }

    /// Runs `body` while no other body runs.
    ///
    /// A cancelled task also waits for its turn.
    ///
    /// - Parameters:
    ///   - isolation: The caller's isolation.
    ///   - body: Must not take the lock again.
    /// - Returns: Its value.
    /// - Throws: Its error.
    package func withLock<Value>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        await lock()
        defer { unlock() }
        return try await body()
    }

    private func lock(isolation: isolated (any Actor)? = #isolation) async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLockedValue { state in
                guard state.isLocked else {
                    state.isLocked = true
                    return true
                }
                state.waiters.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    private func unlock() {
        let next = state.withLockedValue { state -> CheckedContinuation<Void, Never>? in
            guard state.waiters.isEmpty else { return state.waiters.removeFirst() }
            state.isLocked = false
            return nil
        }
        next?.resume()
    }
}
