// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetKit

/// Responses lost after the commit, and clients killed before their response arrives.
extension DemoEnvironment {
    /// Performs act c.
    func lostAnswers() async throws -> ActResult {
        var events = network.events.makeAsyncIterator()
        let generation = session.status.generation ?? 0
        network.setFaultMode(.dropping(5))
        view.note("five responses in a row are lost after the commit")
        try await session.refresh()
        for _ in 0..<5 { _ = await events.next() }
        var held = session.status.generation == generation + 1

        for round in 1...3 {
            view.note("a client process is killed with -9 before its response arrives, round \(round)")
            network.setFaultMode(.dropping(.max))
            let victim = try tool(["token", "--refresh"])
            _ = await events.next()
            await victim.kill()
            network.setFaultMode(.passThrough)
            let survivor = try await tool(["token", "--refresh"]).wait()
            held = held && survivor.status == 0
        }
        // Responses to later refreshes are delivered.
        network.setFaultMode(.passThrough)
        let lost = network.counts.answersLost
        return ActResult(
            held: held && callers.counts.isClean,
            text: "\(lost) responses lost, 3 clients killed, \(held ? "still signed in" : "a refresh failed")",
            expected: "one refresh in spite of 5 lost responses, one after each kill, and \(Callers.Counts.clean)"
        )
    }
}
