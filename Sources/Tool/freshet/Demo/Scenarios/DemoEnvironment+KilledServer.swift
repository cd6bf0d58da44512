// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetKit

/// A server that is killed while refreshes are in flight.
extension DemoEnvironment {
    /// Performs act d.
    func killedServer() async throws -> ActResult {
        var survived = 0
        let before = callers.counts
        async let calling: Void = callers.run(20, until: .now + .seconds(8), pause: .milliseconds(100))
        for round in 1...3 {
            // The server has committed and responded; the client never receives the response.
            var events = network.events.makeAsyncIterator()
            network.setFaultMode(.holding)
            async let refreshing: Void? = try? session.refresh()
            while await events.next() != .answerHeld {}
            await server.kill()
            network.setFaultMode(.dropping(1))
            view.note("killed with a refresh in flight; the callers go on")
            try await Task.sleep(for: .milliseconds(400))
            try await server.restart()
            view.note("started again, \(round) of 3")
            if await refreshing != nil { survived += 1 }
            try await Task.sleep(for: .seconds(1))
        }
        await calling
        let works = await callers.call()
        let unanswered = callers.counts.unreachable - before.unreachable
        return ActResult(
            held: works && survived == 3 && callers.counts.isClean,
            text: "3 kills, \(survived) refreshes in flight succeeded, \(unanswered) calls found no server",
            expected: "3 successful refreshes, and \(Callers.Counts.clean)"
        )
    }
}
