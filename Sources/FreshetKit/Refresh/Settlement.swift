// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Whom to answer, and with what.
struct Settlement<Waiter> {
    var waiters: [Waiter]
    var answer: Result<AccessToken, SessionError>
}

extension Settlement: Equatable where Waiter: Equatable {}
