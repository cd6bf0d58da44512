// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Returns the first of several results without waiting for the others.
///
/// A task group would wait for its slowest child, and an operation that ignores cancellation would block the caller.
package final class FirstResult<Value: Sendable>: Sendable {
    private enum State {
        case open(CheckedContinuation<Value, Never>?)
        case decided(Value)
        case told
    }

    private let state = Locked(State.open(nil))

    package init() {}

    /// Sets the result, unless it is already set.
    package func finish(with value: Value) {
        let waiter: CheckedContinuation<Value, Never>? = state.withLock { state in
            guard case .open(let waiter) = state else { return nil }
            state = waiter == nil ? .decided(value) : .told
            return waiter
        }
        waiter?.resume(returning: value)
    }

    /// Waits for the result.
    ///
    /// Must be called once.
    package func value() async -> Value {
        await withCheckedContinuation { waiter in
            let decided: Value? = state.withLock { state in
                if case .decided(let value) = state {
                    state = .told
                    return value
                }
                state = .open(waiter)
                return nil
            }
            if let decided { waiter.resume(returning: decided) }
        }
    }
}
