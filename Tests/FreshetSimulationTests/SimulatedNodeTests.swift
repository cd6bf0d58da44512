// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetEngine
import SeededRandom
import Testing

@testable import FreshetKit
@testable import FreshetSimulation

@Suite struct `A simulated node` {
    @Test func `an overloaded node grants refreshes within its capacity and rejects or drops the others`() {
        var node = SimulatedNode(capacity: 100)
        var chance = SeededRandomStream(seed: 1)
        var (granted, told, lost) = (0, 0, 0)
        // Ten times what it can, for a hundred seconds.
        for time in 0..<100_000 {
            switch node.answer(at: time, slowness: 1, waits: AdmissionLimits.retryAfterSeconds, &chance) {
            case .granted(let end):
                granted += 1
                #expect(end > time)
            case .unavailable(_, let wait):
                told += 1
                #expect((.seconds(1)...(.seconds(4))).contains(wait))
            case .lost: lost += 1
            case .refused: Issue.record("a node refuses nobody")
            }
        }
        #expect(granted + told + lost == 100_000)
        #expect((5000...10_200).contains(granted), "\(granted)")
        #expect(told > 0 && lost > 0)
    }

    @Test(arguments: [
        HTTPReply(status: 503, headers: ["Retry-After": "2"], body: .init(#"{"error":"unavailable"}"#.utf8)),
        HTTPReply(status: 401, headers: ["Content-Type": "text/html"], body: .init("<html>".utf8)),
        HTTPReply(
            status: 401,
            headers: ["Content-Type": "application/json"],
            body: .init(#"{"error":"invalid_token"}"#.utf8)
        ),
    ])
    func `the SDK does not treat a node's error response to a refresh as the end of the session`(answer: HTTPReply) {
        if case .sessionEnded = Contract.freshet.classify(answer, on: .refresh) { Issue.record("\(answer.status)") }
    }
}
