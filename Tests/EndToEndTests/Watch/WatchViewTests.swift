// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import FreshetKit
@testable import freshet

/// The frames and lines of `freshet watch` for given states.
@Suite struct `The view of a watched session` {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func view(
        _ state: SessionState = .active,
        tokenFor seconds: Double? = 478,
        refreshIn: Duration? = .seconds(358),
        change: (inout SessionStatus) -> Void = { _ in }
    ) throws -> WatchView {
        var status = SessionStatus(state: state, isSaved: true, hasPendingLogout: false, store: "memory")
        status.email = "ann@example.com"
        status.generation = 4
        status.accessTokenExpiresAt = seconds.map { now + $0 }
        change(&status)
        return WatchView(
            profile: "default",
            server: try #require(URL(string: "http://127.0.0.1:8080")),
            status: status,
            refreshIn: refreshIn,
            now: now,
            zone: try #require(TimeZone(identifier: "UTC"))
        )
    }

    @Test func `a watch frame shows the token's expiry, the next refresh and the last events`() throws {
        var view = try view()
        view.entries = [WatchEntry(date: now - 2, name: "refreshed", text: "Token refreshed.")]
        #expect(
            view.frame(rows: 24, columns: 80) == [
                "Freshet  profile default at http://127.0.0.1:8080", "",
                "  session       signed in as ann@example.com",
                "  access token  valid until 08:07:58, 7 min 58 s left",
                "  next refresh  at 08:05:58, in 5 min 58 s",
                "  refreshes     4",
                "  store         memory", "",
                "  07:59:58  Token refreshed.", "",
                "  q or Ctrl-C ends this; the session stays.",
            ]
        )
    }

    @Test func `a watch frame is not higher than the terminal, and shows the newest events`() throws {
        var view = try view()
        view.entries = (1...50).map { WatchEntry(date: now, name: "e", text: "Event \($0).") }
        let frame = view.frame(rows: 20, columns: 80)
        #expect(frame.count < 20)
        #expect(frame.contains("  08:00:00  Event 50.") && !frame.contains("  08:00:00  Event 1."))
    }

    @Test func `a watch event longer than a line continues on the next line`() throws {
        var view = try view()
        view.entries = [
            WatchEntry(date: now, name: "e", text: "The server cannot be reached now; it is asked again in 4 s.")
        ]
        let frame = view.frame(rows: 20, columns: 41)
        #expect(frame.allSatisfy { $0.count < 41 || $0.hasPrefix("  q ") }, "\(frame)")
        let entry = try #require(frame.firstIndex(of: "  08:00:00  The server cannot be reached"))
        #expect(frame[entry + 1] == "      now; it is asked again in 4 s.")
        #expect(view.frame(rows: 8, columns: 41).contains { $0.hasSuffix("again in 4 s.") })
    }

    @Test func `the summary of a watched session is one sentence in each state`() throws {
        let token = "; access token valid until 08:07:58, 7 min 58 s left; next refresh"
        #expect(try view().summary == "Signed in as ann@example.com\(token) at 08:05:58, in 5 min 58 s.")
        #expect(try view(refreshIn: .zero).summary.hasSuffix("next refresh due."))
        #expect(try view(.refreshing, refreshIn: nil).summary.hasSuffix("next refresh in progress."))
        let expired = try view(.offline, tokenFor: -12).summary
        #expect(
            expired.contains("the last refresh did not reach the server; access token expired at 07:59:48, 12 s ago")
        )
        let unrenewable = try view(refreshIn: nil) { $0.isRenewable = false }
        #expect(unrenewable.summary.hasSuffix("next refresh none: nothing can refresh this session."))
        #expect(
            try view(.signedOut(.revokedByOperator), tokenFor: nil, refreshIn: nil).summary
                == "Signed out (revoked_by_operator): An operator ended this session."
        )
        #expect(try view(.signedOut(nil), tokenFor: nil, refreshIn: nil).summary == "Signed out.")
    }

    @Test func `a time on another day is shown with its date`() throws {
        #expect(try view(tokenFor: 86_400 * 3).summary.contains("until 2027-01-18 08:00:00, 3 d left"))
    }

    @Test(arguments: [
        (0, "0 s"), (0.4, "0 s"), (59.6, "1 min"), (61, "1 min 1 s"), (3600, "1 h"), (7500, "2 h 5 min"),
        (90_000, "1 d 1 h"), (-5, "0 s"), (.infinity, "11574 d 1 h"),
    ])
    func `a duration is shown in at most its two largest units`(seconds: Double, text: String) {
        #expect(ClockTime.length(seconds) == text)
    }

    @Test func `a watch frame replaces the previous frame regardless of their heights`() {
        var region = RedrawnRegion()
        #expect(region.replace(with: ["one", "two"], width: 80) == "\r\u{1B}[2Kone\n\u{1B}[2Ktwo\n\u{1B}[J")
        #expect(region.replace(with: ["three"], width: 4) == "\r\u{1B}[2A\u{1B}[2Kthr\n\u{1B}[J")
        #expect(region.replace(with: [], width: 80) == "\r\u{1B}[1A\u{1B}[J")
    }
}

/// The changes of a session that are shown.
@Suite struct `The history of a watched session` {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func event(_ kind: SessionEvent.Kind) -> SessionEvent {
        SessionEvent(date: now, processID: 1, sessionID: nil, generation: nil, kind: kind)
    }

    @Test func `the watch history records a lost network and a sign-out, but no details for a log`() {
        var history = WatchHistory()
        #expect(history.add(event(.joined)) == nil)
        #expect(history.add(event(.phaseChanged(.foreground))) == nil)
        #expect(history.add(event(.stateChanged(.refreshing))) == nil)
        #expect(history.add(event(.networkChanged(isUp: false)))?.name == "network_changed")
        #expect(history.add(event(.stateChanged(.signedOut(.fork))))?.name == "signed_out")
    }

    @Test func `the watch history drops entries beyond its capacity`() {
        var history = WatchHistory()
        for _ in 0...WatchHistory.capacity { _ = history.add(event(.saved)) }
        #expect(history.entries.count == WatchHistory.capacity)
    }
}
