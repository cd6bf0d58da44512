// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import Testing

@testable import freshet

/// The consequence of each key of a development server.
@Suite struct `Fault switches` {
    private var switches = FaultSwitches()
    private let user = UUID()
    private let now = Timestamp(milliseconds: 10_500)

    @Test mutating func `each press of the d key drops the response to one later refresh`() {
        switches.refreshCommitted(request: "r0")
        #expect(
            switches.press("d", at: now).lines == ["The answer to the next refresh will be dropped after the commit."]
        )
        #expect(switches.press("d", at: now).lines == ["The next 2 answers will be dropped after the commit."])
        #expect(switches.drops("X-Request-Id: r1") == false)
        for request in ["r1", "r2", "r3"] { switches.refreshCommitted(request: request) }
        #expect(switches.drops("X-Request-Id: r0") == false)
        #expect(switches.drops("HTTP/1.1 200 OK\r\nX-Request-Id: r2\r\n") == true)
        #expect(switches.drops("HTTP/1.1 200 OK\r\nX-Request-Id: r1\r\n") == true)
        #expect(switches.drops("HTTP/1.1 200 OK\r\nX-Request-Id: r3\r\n") == false)
    }

    @Test mutating func `the d key drops a response only once`() {
        _ = switches.press("d", at: now)
        switches.refreshCommitted(request: "r1")
        #expect(switches.drops("r1") == true)
        #expect(switches.drops("r1") == false)
    }

    @Test mutating func `the x key expires earlier access tokens at the next second, and later ones are accepted`() {
        let issued = Timestamp(milliseconds: 10_000)
        #expect(switches.accepts(issuedAt: issued, at: now))
        #expect(switches.press("x", at: now).lines.first?.hasPrefix("All access tokens expire now") == true)
        #expect(switches.accepts(issuedAt: issued, at: Timestamp(milliseconds: 10_999)))
        #expect(!switches.accepts(issuedAt: issued, at: Timestamp(milliseconds: 11_000)))
        // A token's issue time is in whole seconds.
        #expect(switches.accepts(issuedAt: Timestamp(milliseconds: 11_000), at: Timestamp(milliseconds: 11_001)))
    }

    @Test mutating func `the e key ends the session with the newest sign-in`() {
        #expect(switches.press("e", at: now).action == nil)
        let ids = (1...3).map { _ in SessionID(UUID()) }
        // A refresh of a session that was opened before the start.
        for (id, time) in zip(ids, [Int64(2000), 3000, 1000]) {
            switches.sessionUsed(id, of: user, openedAt: Timestamp(milliseconds: time))
            switches.sessionUsed(id, of: user, openedAt: Timestamp(milliseconds: time))
        }
        #expect(switches.press("e", at: now) == .init(lines: [], action: .end(ids[1], of: user)))
        switches.sessionsEnded([ids[1]])
        #expect(switches.press("e", at: now).action == .end(ids[0], of: user))
        switches.sessionsEnded(ids)
        #expect(switches.press("e", at: now).lines.first?.hasPrefix("There is no session to end") == true)
    }

    @Test mutating func `the question mark lists the keys, the q key stops the server, and other keys do nothing`() {
        #expect(switches.press("?", at: now).lines == [FaultSwitches.help])
        #expect(switches.press("q", at: now).action == .stop)
        #expect(switches.press("z", at: now) == .init(lines: []))
    }
}
