// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire
import Testing

@testable import FreshetPages

@Suite struct `Endings in the account's history` {
    private func entry(_ reason: EndReason?, by: SessionRow? = nil) -> HistoryEntry {
        let now = Timestamp(milliseconds: 1_800_000_000_000)
        var event = AuditEvent(at: now, kind: .ended)
        event.reason = reason
        event.by = by?.id
        return HistoryEntry(event, devices: KnownDevices(by.map { [$0] } ?? []), now: now)
    }

    @Test(arguments: EndReason.allCases + [EndReason(stored: "newer_reason")])
    func `a session end with any reason is shown as a sign-out in the history`(reason: EndReason) {
        let entry = entry(reason)
        #expect(entry.what.hasPrefix("Signed out"))
        #expect(entry.hasMeaning == !entry.meaning.isEmpty)
        #expect((entry.weight == "bad") == reason.details.cause.needsAttention)
    }

    @Test func `a session end without a reason is shown as a sign-out in the history`() {
        #expect(entry(nil).what == "Signed out")
        #expect(entry(nil).weight == "")
    }
}
