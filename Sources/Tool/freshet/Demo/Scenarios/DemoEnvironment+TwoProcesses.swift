// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit

/// Two processes on one store.
extension DemoEnvironment {
    /// Performs act f.
    func twoProcesses() async throws -> ActResult {
        view.note("waiting for the access token to end")
        try await waitForExpiry()
        let before = session.status.generation ?? 0
        network.setFaultMode(.holding)
        var events = network.events.makeAsyncIterator()
        let first = try tool(["token"])
        let second = try tool(["token"])
        // Either both requests are at the server, or one process waits for the other's response.
        while await events.next() != .answerHeld {}
        network.setFaultMode(.passThrough)
        let endings = [await first.wait(), await second.wait()]
        let works = await callers.call()
        let held = endings.allSatisfy { $0.status == 0 && $0.output.count > 100 } && works && callers.counts.isClean
        let steps = (session.status.generation ?? 0) - before
        let exits = endings.map { "\($0.status)" }.joined(separator: " and ")
        // Both processes got one common successor, or one each; 0 means that neither process refreshed.
        return ActResult(
            held: held && (1...2).contains(steps),
            text: "exit codes \(exits), and the session was refreshed \(steps) times",
            expected: "exit codes 0 and 0, one or two refreshes, and \(Callers.Counts.clean)"
        )
    }

    private func waitForExpiry() async throws {
        let token = try await session.accessToken()
        let left = token.expiresAt.timeIntervalSinceNow
        if left > 0 { try await Task.sleep(for: .seconds(left)) }
    }
}
