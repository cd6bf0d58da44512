// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Waiting callers, and the answer to resume them with.
struct WaiterCompletion<Waiter> {
    var waiters: [Waiter]
    var answer: Result<AccessToken, SessionError>
}

extension WaiterCompletion: Equatable where Waiter: Equatable {}
