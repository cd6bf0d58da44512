// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Many callers through several expiries.
extension DemoEnvironment {
    /// Act b.
    func manyCallers() async throws -> ActResult {
        let before = server.serverLog.counts()
        let callsBefore = callers.counts
        await callers.run(200, until: .now + .seconds(10), pause: .milliseconds(400))
        let after = server.serverLog.counts()
        let calls = callers.counts
        let refreshes = after.refreshesServed - before.refreshesServed
        // Ten seconds hold four lives of a token that is renewed in its last fifth; a busy machine may miss by a few.
        let held = calls.answered - callsBefore.answered > 200 && (2...7).contains(refreshes) && calls.isClean
        return ActResult(
            held: held,
            text: "\(calls.answered - callsBefore.answered) calls, \(refreshes) refreshes, \(calls.unauthorized) 401s"
        )
    }
}
