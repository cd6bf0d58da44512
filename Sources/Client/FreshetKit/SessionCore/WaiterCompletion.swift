// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Whom to answer, and with what.
struct WaiterCompletion<Waiter> {
    var waiters: [Waiter]
    var answer: Result<AccessToken, SessionError>
}

extension WaiterCompletion: Equatable where Waiter: Equatable {}
