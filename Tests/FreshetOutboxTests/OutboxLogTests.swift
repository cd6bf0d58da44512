// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit
@testable import FreshetOutbox

@Suite(.timeLimit(.minutes(5))) struct `The log of an outbox` {
    private let hostile = "x\ny\u{2028}z\r\u{1B}[31m"

    @Test func `the description of every kind of outbox event is one distinct line, regardless of the lane's name`() {
        var kinds: [OutboxEvent.Kind] = [
            .enqueued, .sending(attempt: 2), .delivered(status: 201), .gone, .retrying(after: .milliseconds(2500)),
            .resumed, .othersWaiting(0), .othersWaiting(1), .othersWaiting(7),
        ]
        let holds: [OutboxHoldReason] = [.signedOut, .storeUnavailable, .tokenRefused, .newerVersion, .deadLetter]
        kinds += holds.map { .held($0) }
        let deaths: [OutboxDeadLetterReason] = [
            .rejected(status: 422), .redirected(status: 303), .expired, .damaged, .foreignHost,
        ]
        kinds += deaths.map { .dead($0) }
        let id = UUID()
        var seen: Set<String> = []
        for kind in kinds {
            let line = OutboxEvent(id: id, lane: hostile, kind: kind).description
            #expect(line.hasPrefix("Outbox item \(id.uuidString.lowercased()), lane x y z") && line.hasSuffix("."))
            #expect(line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0 != "\u{2028}" })
            #expect(seen.insert(line).inserted, "\(line) says nothing of its own")
        }
        #expect(seen.contains { $0.hasSuffix("the attempt failed; the next one follows in 2.5 s.") })
        #expect(seen.contains { $0.contains("the server refused it with 422; the app can retry or discard it.") })
        #expect("\(OutboxEvent(kind: .resumed))" == "Outbox: sending continues.")
    }

    @Test
    func `an outbox logs each attempt, the pause after it and the delivery, from the requested level`()
        async throws
    {
        let bench = try await OutboxFixture()
        let outbox = try bench.outbox()
        let (all, few) = (LogLines(), LogLines())
        outbox.log(from: .debug) { level, line in all.add("\(level): \(line)") }
        outbox.log(from: .notice) { _, line in few.add(line) }
        let events = outbox.events
        let id = try await outbox.enqueue(try bench.request("one"), lane: "notes")
        try await bench.next("one").answer(503)
        try await events.next(.retrying(after: .seconds(1)))
        bench.clock.advance(by: .seconds(1))
        try await bench.next("one").answer(201)
        await outbox.flush()
        let name = "Outbox item \(id.uuidString.lowercased()), lane notes:"
        #expect(
            all.all.filter { $0.contains(name) } == [
                "info: \(name) stored on disk; it is sent after the items before it.",
                "debug: \(name) attempt 1 to send it.",
                "notice: \(name) the attempt failed; the next one follows in 1 s.",
                "debug: \(name) attempt 2 to send it.",
                "info: \(name) delivered; the server answered with 201.",
            ]
        )
        #expect(few.all == ["\(name) the attempt failed; the next one follows in 1 s."])
    }
}
