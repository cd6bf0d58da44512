// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Many callers during several expiries.
extension DemoEnvironment {
    /// Performs act b.
    func manyCallers() async throws -> ActResult {
        let before = server.serverLog.counts()
        let callsBefore = callers.counts
        await callers.run(200, until: .now + .seconds(10), pause: .milliseconds(400))
        let after = server.serverLog.counts()
        let calls = callers.counts
        let refreshes = after.refreshesServed - before.refreshesServed
        // Ten seconds contain four lifetimes of a token that is refreshed in its last fifth; a busy machine may
        // deviate.
        let held = calls.answered - callsBefore.answered > 200 && (2...7).contains(refreshes) && calls.isClean
        return ActResult(
            held: held,
            text: "\(calls.answered - callsBefore.answered) calls, \(refreshes) refreshes, \(calls.unauthorized) 401s",
            expected: "more than 200 calls, 2 to 7 refreshes, and \(Callers.Counts.clean)"
        )
    }
}
