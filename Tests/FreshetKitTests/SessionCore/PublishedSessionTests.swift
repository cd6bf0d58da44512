// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

@Suite struct `Published session` {
    private let published = PublishedSession(store: "memory", clock: TestClock().sessionClock())

    private func status(
        _ state: SessionState = .active,
        session: String? = "s1",
        user: String? = nil,
        generation: UInt64? = 3
    ) -> SessionStatus {
        var status = SessionStatus(state: state, isSaved: true, hasPendingLogout: false, store: "memory")
        status.sessionID = session
        status.userID = user
        status.generation = session == nil ? nil : generation
        return status
    }

    private func publish(_ status: SessionStatus) { published.publish(status, token: nil, refreshAt: .zero) }

    /// Returns the session, generation and kind of each event that `body` causes.
    private func events(_ body: () -> Void) -> [String] {
        let events = Locked<[String]>([])
        let observer = published.hub.addObserver { event in
            let generation = event.generation.map(String.init) ?? "-"
            events.withLock { $0.append("\(event.sessionID ?? "-") \(generation) \(event.kind)") }
        }
        defer { published.hub.removeObserver(observer) }
        body()
        return events.withLock { $0 }
    }

    private func changed(_ session: String, _ generation: UInt64, _ state: SessionState) -> String {
        "\(session) \(generation) \(SessionEvent.Kind.stateChanged(state))"
    }

    @Test func `before the store is read, the state is unknown and no tokens or logouts are pending`() {
        let expected = SessionStatus(state: .unknown, isSaved: true, hasPendingLogout: false, store: "memory")
        #expect(published.status == expected)
        #expect(published.validToken(at: .zero) == nil)
        #expect(published.scheduledRefresh == nil)
    }

    @Test func `a token is due for a refresh from the scheduled time on, once`() throws {
        published.publish(status(), token: Fixtures.live(3), refreshAt: .seconds(540))
        #expect(published.validToken(at: .seconds(539.9))?.isDue == false)
        #expect(published.validToken(at: .seconds(540))?.isDue == true)
        #expect(published.validToken(at: .seconds(540))?.isDue == false)
        #expect(published.validToken(at: .seconds(600)) == nil)
    }

    @Test func `a refresh is scheduled only for a renewable token that is not being refreshed`() {
        published.publish(status(), token: Fixtures.live(3), refreshAt: .seconds(540))
        #expect(published.scheduledRefresh == .seconds(540))
        published.publish(status(.refreshing), token: Fixtures.live(3), refreshAt: .seconds(540))
        #expect(published.scheduledRefresh == nil)
        var unrenewable = status()
        unrenewable.isRenewable = false
        published.publish(unrenewable, token: Fixtures.live(3), refreshAt: .seconds(540))
        #expect(published.scheduledRefresh == nil)
    }

    @Test func `only the current token has the session's status`() {
        #expect(published.status(with: Fixtures.live(3).token) == nil)
        published.publish(status(), token: Fixtures.live(3), refreshAt: .seconds(540))
        #expect(published.status(with: Fixtures.live(3).token) == status())
        #expect(published.status(with: Fixtures.live(2).token) == nil)
    }

    @Test func `a state change is an event of the session that is signed in`() {
        publish(status(.signedOut(nil), session: nil))
        #expect(events { publish(status()) } == [changed("s1", 3, .active)])
        #expect(events { publish(status(.refreshing, generation: 4)) } == [changed("s1", 4, .refreshing)])
        #expect(events { publish(status(.refreshing, generation: 4)) }.isEmpty)
    }

    @Test func `a sign-out is an event of the session that ended`() {
        publish(status())
        let events = events { publish(status(.signedOut(.requested), session: nil)) }
        #expect(events == [changed("s1", 3, .signedOut(.requested))])
    }

    @Test func `a switch to another account in the same state is an event`() {
        publish(status(user: "u1"))
        #expect(events { publish(status(session: "s2", user: "u2", generation: 0)) } == [changed("s2", 0, .active)])
    }

    @Test func `a user ID that becomes known causes an event, but no state change`() {
        publish(status())
        let identified = "s1 3 \(SessionEvent.Kind.userIdentified)"
        #expect(events { publish(status(user: "u1")) } == [identified])
        #expect(events { publish(status(user: "u2")) }.isEmpty, "the user was known before")
    }

    @Test func `a slow reader of states gets the latest 64`() async {
        var published: PublishedSession? = PublishedSession(store: "memory", clock: TestClock().sessionClock())
        let states = published?.states()
        for index in 1...70 {
            published?.publish(status(index.isMultiple(of: 2) ? .active : .refreshing), token: nil, refreshAt: .zero)
        }
        // Its release ends the stream.
        published = nil
        var received: [SessionState] = []
        if let states { for await state in states { received.append(state) } }
        #expect(received == (7...70).map { $0.isMultiple(of: 2) ? .active : .refreshing })
    }

    @Test func `several publications of a session's status are combined into one notification`() async {
        var published: PublishedSession? = PublishedSession(store: "memory", clock: TestClock().sessionClock())
        let changes = published?.changes()
        for _ in 1...3 { published?.publish(status(), token: nil, refreshAt: .zero) }
        published = nil
        var count = 0
        if let changes { for await _ in changes { count += 1 } }
        #expect(count == 1)
    }
}

@Suite struct `Acceptance of a token` {
    @Test func `each observer is called once, at the next accepted request`() {
        let acceptance = TokenAcceptance()
        let calls = Locked<[Int]>([])
        acceptance.signal()
        for index in 1...2 { acceptance.onNext { calls.withLock { $0.append(index) } } }
        #expect(calls.withLock { $0 }.isEmpty)
        acceptance.signal()
        #expect(calls.withLock { $0 } == [1, 2])
        acceptance.signal()
        #expect(calls.withLock { $0 } == [1, 2])
    }

    @Test func `an observer can register for another accepted request while it is called`() {
        let acceptance = TokenAcceptance()
        let calls = Locked(0)
        acceptance.onNext {
            calls.withLock { $0 += 1 }
            acceptance.onNext { calls.withLock { $0 += 1 } }
        }
        acceptance.signal()
        #expect(calls.withLock { $0 } == 1)
        acceptance.signal()
        #expect(calls.withLock { $0 } == 2)
    }
}
