// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetKit

/// A server that is killed while refreshes are in flight.
extension DemoStage {
    /// Act d.
    func killedServer() async throws -> Finding {
        var restarts = 0
        let before = callers.counts
        async let calling: Void = callers.run(20, until: .now + .seconds(8), pause: .milliseconds(100))
        for _ in 1...3 {
            async let refreshing: Void? = try? session.refresh()
            await server.kill()
            view.note("killed; the callers go on")
            try await Task.sleep(for: .milliseconds(400))
            try await server.restart()
            restarts += 1
            view.note("started again, \(restarts) of 3")
            _ = await refreshing
            try await Task.sleep(for: .seconds(1))
        }
        await calling
        let works = await callers.call()
        let unanswered = callers.counts.unreachable - before.unreachable
        return Finding(
            held: works && callers.counts.isClean,
            text: "3 kills, \(unanswered) calls met no server, nobody was signed out"
        )
    }
}
