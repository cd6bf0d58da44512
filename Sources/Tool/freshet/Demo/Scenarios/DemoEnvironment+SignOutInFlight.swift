// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetKit

/// Sign-out while a refresh is in flight.
extension DemoEnvironment {
    /// Performs act h.
    func signOutInFlight() async throws -> ActResult {
        try await session.signIn(.password(email: "ann@example.com", password: "correct horse battery"))
        network.setFaultMode(.holding)
        var events = network.events.makeAsyncIterator()
        async let refreshing: Void? = try? session.refresh()
        while await events.next() != .answerHeld {}
        try await session.signOut()
        network.setFaultMode(.passThrough)
        _ = await refreshing
        let empty = (try? stolenToken()) == nil
        let isOut = if case .signedOut(.requested) = session.state { true } else { false }
        return ActResult(
            held: empty && isOut && !session.status.hasPendingLogout,
            text: empty && isOut
                ? "signed out, the late response was dropped, and the store contains no token"
                : "\(isOut ? "signed out" : "still signed in"), and the store contains \(empty ? "no" : "a") token",
            expected: "signed out, no token in the store, and no pending sign-out"
        )
    }
}
