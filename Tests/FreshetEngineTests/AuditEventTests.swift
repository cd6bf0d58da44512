// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import Testing

@Suite struct `Events of the audit trail` {
    private func event(_ kind: AuditEvent.Kind, at seconds: Int64 = 0, outcome: String? = nil) -> AuditEvent {
        var event = AuditEvent(at: Timestamp(milliseconds: seconds * 1000), kind: kind)
        event.outcome = outcome
        return event
    }

    @Test func `the newest events of a trail are in its order, and at most a fifth are refused sign-ins`() {
        let login = (1...4).map { event(.login, at: $0) }
        let refused = (5...12).map { event(.loginRefused, at: $0) }
        let trail = login + refused
        #expect(trail.newest(10) == login + refused.suffix(2))
        #expect(trail.newest(9) == login + refused.suffix(1))
        #expect(trail.newest(5) == login + refused.suffix(1))
        #expect(trail.newest(4) == login)
        #expect(trail.newest(2) == login.suffix(2))
        #expect(trail.newest(1) == login.suffix(1))
        #expect(trail.newest(0).isEmpty)
        #expect(login.newest(100) == login)
    }

    @Test func `only refreshes, confirmations, reports and logouts without a finding are plain events`() {
        let plain: Set<AuditEvent.Kind> = [.refresh, .confirm, .report, .logout]
        for kind in AuditEvent.Kind.allCases {
            var event = event(kind)
            #expect(event.isPlain == plain.contains(kind))
            event.isNotable = true
            #expect(!event.isPlain)
        }
    }

    @Test func `a routine refresh is a plain refresh that was served or has no outcome`() {
        for outcome in ["bound", "repeated", "sibling", "proved", "unrotated", nil] {
            var event = event(.refresh, outcome: outcome)
            #expect(event.isRoutineRefresh)
            event.isNotable = true
            #expect(!event.isRoutineRefresh)
        }
        #expect(!event(.refresh, outcome: "superseded").isRoutineRefresh)
        #expect(!event(.confirm, outcome: "proved").isRoutineRefresh)
        #expect(!event(.login).isRoutineRefresh)
    }

    @Test func `forged tokens, tokens under a missing key and refused sign-ins are not authenticated`() {
        #expect(event(.refresh, outcome: "bound").isAuthenticated)
        #expect(event(.login).isAuthenticated)
        #expect(!event(.refresh, outcome: "forged").isAuthenticated)
        #expect(!event(.refresh, outcome: "key_not_here_yet").isAuthenticated)
        #expect(!event(.loginRefused, outcome: "password").isAuthenticated)
    }

    @Test func `the sign-in is the first of simultaneous events, and the end is the last`() {
        let ends: Set<AuditEvent.Kind> = [.ended, .userDisabled, .userDeleted]
        for kind in AuditEvent.Kind.allCases {
            #expect(event(kind).isEnding == ends.contains(kind))
            #expect(AuditEvent.isInOrder(event(.login), event(kind)) == (kind != .login))
            #expect(AuditEvent.isInOrder(event(kind), event(.ended)) == !ends.contains(kind))
            #expect(AuditEvent.isInOrder(event(.ended, at: 1), event(kind, at: 2)))
            #expect(!AuditEvent.isInOrder(event(kind, at: 2), event(.ended, at: 1)))
        }
        #expect(!AuditEvent.isInOrder(event(.refresh), event(.confirm)))
    }

    @Test func `the event of several refreshes has their number and first time, that of one refresh has no span`() {
        let device = Device(platform: "iOS", app: "Notes", appVersion: "2.1")
        let row = SessionRow.start(
            user: UUID(),
            mode: .intent,
            device: device,
            lifetimes: Lifetimes(),
            keyID: 1,
            now: Timestamp(milliseconds: 0)
        )
        let (since, at) = (Timestamp(milliseconds: 1000), Timestamp(milliseconds: 9000))
        var run = RefreshStreak(since: since, at: at, times: 2, generation: 7, source: SourceAddress("192.0.2.7"))
        let several = AuditEvent(run, of: row)
        #expect(several.since == since)
        #expect(several.times == 2)
        #expect(several.at == at)
        #expect(several.generation == 7)
        #expect(several.source == "192.0.2.7")
        #expect(several.client == "Notes 2.1 iOS")
        #expect(several.user == row.user && several.session == row.id)
        run.times = 1
        #expect(AuditEvent(run, of: row).since == nil)
        #expect(event(.refresh).times == 1)
    }

    @Test func `a device's client is its app, version and platform, in at most a hundred characters`() {
        #expect(Device().client == nil)
        #expect(Device(platform: "", app: "").client == nil)
        #expect(Device(platform: "iOS", app: "", appVersion: nil).client == "iOS")
        #expect(Device(app: String(repeating: "a", count: 101)).client?.count == 100)
    }

    @Test func `a run of refreshes includes refreshes from its source within a day, and a minute earlier`() {
        let start = Timestamp(milliseconds: 1_000_000_000)
        let source = SourceAddress("192.0.2.7")
        let run = RefreshStreak(since: start, at: start + .seconds(600), generation: 0, source: source)
        #expect(run.times == 1)
        #expect(run.includes(from: source, at: start + .seconds(86_400) + .milliseconds(-1)))
        #expect(!run.includes(from: source, at: start + .seconds(86_400)))
        #expect(run.includes(from: source, at: start + .seconds(540) + .milliseconds(1)))
        #expect(!run.includes(from: source, at: start + .seconds(540)))
        #expect(!run.includes(from: SourceAddress("192.0.2.8"), at: start + .seconds(600)))
        #expect(!run.includes(from: nil, at: start + .seconds(600)))
    }
}
