// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit
@testable import FreshetOutbox

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Nothing is sent as anybody else, and nothing is dropped because nobody is signed in.
@Suite(.timeLimit(.minutes(5))) struct `Outbox accounts` {
    let bench: OutboxFixture

    init() async throws { bench = try await OutboxFixture() }

    @Test func `items wait while the user is signed out, and are sent after the next sign-in`() async throws {
        let outbox = try bench.outbox()
        let events = outbox.events
        try await outbox.enqueue(contentsOf: [try bench.request("one"), try bench.request("two")])
        try await bench.next("one").answer(200)
        let second = try await bench.next("two")
        try await bench.session.signOut()
        try await events.next(.held(.signedOut))
        second.fail()
        _ = try await events.next { if case .retrying = $0 { true } else { false } }
        await outbox.flush()
        #expect(outbox.counts.held == 1 && bench.files.count == 1)
        bench.clock.advance(by: .seconds(3_600))
        await outbox.flush()
        #expect(bench.transport.unclaimed.isEmpty)
        try await bench.session.signIn(OutboxFixture.ada)
        let again = try await bench.next("two")
        #expect(again.key == second.key && again.bearer != second.bearer)
        again.answer(200)
        await outbox.flush()
        #expect(bench.files.isEmpty)
    }

    @Test func `one account's items wait while another is signed in`() async throws {
        let outbox = try bench.outbox()
        try await outbox.enqueue(try bench.request("ada's"))
        try await bench.fail("ada's", of: outbox)
        try await bench.session.signIn(OutboxFixture.bob)
        try await outbox.enqueue(try bench.request("bob's"))
        let bobs = try await bench.next("bob's")
        #expect(bobs.bearer == "access-2")
        bobs.answer(200)
        bench.clock.advance(by: .seconds(300))
        await outbox.flush()
        #expect(bench.transport.unclaimed.isEmpty)
        #expect(outbox.counts.others == 1 && outbox.counts.waiting == 0 && bench.files.count == 1)
        try await bench.session.signIn(OutboxFixture.ada)
        let adas = try await bench.next("ada's")
        #expect(adas.bearer == "access-3")
        adas.answer(200)
        await outbox.flush()
        #expect(bench.files.isEmpty && outbox.counts.others == 0)
    }

    @Test func `a refused item is not replayed with the token of a user who signed in meanwhile`() async throws {
        let outbox = try bench.outbox()
        try await outbox.enqueue(try bench.request("ada's"))
        let adas = try await bench.next("ada's")
        try await bench.session.signIn(OutboxFixture.bob)
        adas.answer(401)
        try await outbox.enqueue(try bench.request("bob's"))
        try await bench.next("bob's").answer(200)
        await outbox.flush()
        #expect(bench.transport.unclaimed.isEmpty && bench.files.count == 1)
        try await bench.session.signIn(OutboxFixture.ada)
        let again = try await bench.next("ada's")
        #expect(again.bearer == "access-3" && again.key == adas.key)
    }

    @Test func `a request bound to one user is not sent with the token of another`() async throws {
        let request = try bench.request("ada's")
        let session = bench.session
        try await session.signIn(OutboxFixture.bob)
        await #expect(throws: SessionError.signedOut(.replaced)) {
            try await session.send(request, as: .user("u-ada@example.com"))
        }
        #expect(bench.transport.unclaimed.isEmpty)
    }

    @Test func `an outbox without a signed-in user refuses an item without a user, and accepts one of a named user`()
        async throws
    {
        let outbox = try bench.outbox()
        try await bench.session.signOut()
        let request = try bench.request("later")
        await #expect(throws: OutboxError.noAccount) { try await outbox.enqueue(request) }
        try await outbox.enqueue(request, userID: "u-bob@example.com")
        await outbox.flush()
        #expect(bench.files.count == 1 && outbox.counts.others == 1)
        try await bench.session.signIn(OutboxFixture.ada)
        await outbox.flush()
        #expect(bench.transport.unclaimed.isEmpty)
        try await bench.session.signIn(OutboxFixture.bob)
        try await bench.next("later").answer(200)
    }

    @Test func `items of other users are counted, and their folders are not kept open`() async throws {
        let writer = try bench.outbox()
        for number in 1...5 {
            try await writer.enqueue(try bench.request("later"), userID: "u-\(number)@example.com")
        }
        let outbox = try bench.sibling().outbox(directory: bench.folder.url)
        await outbox.flush()
        #expect(outbox.counts.others == 5)
        #expect(try await outbox.otherAccounts().count == 5)
        #expect(outbox.disk.folders.withLock { $0.count } <= 1)
        // Another process adds and discards some.
        try await writer.enqueue(try bench.request("later"), userID: "u-1@example.com")
        await outbox.flush()
        #expect(outbox.counts.others == 6)
    }

    @Test func `a discard of everything deletes one user's items and dead letters, and no other user's`() async throws {
        let outbox = try bench.outbox()
        try await outbox.enqueue(contentsOf: [try bench.request("bad"), try bench.request("one")], lane: "a")
        try await outbox.enqueue(try bench.request("bob's"), userID: "u-bob@example.com")
        try await bench.next("bad").answer(400)
        let pending = try await bench.next("one")
        try await outbox.discardEverything()
        pending.answer(422)
        await outbox.flush()
        #expect(bench.files.count == 1 && outbox.counts.others == 1)
        #expect(try await outbox.deadLetters().isEmpty && !bench.contents.contains("one"))
        try await outbox.discardEverything(userID: "u-bob@example.com")
        #expect(bench.files.isEmpty)
    }

    @Test func `items of a session without a user ID are not sent by another session`() async throws {
        let bench = try await OutboxFixture(isSignedIn: false)
        func signIn(_ id: String, user: String? = nil) async throws {
            let token = Fixtures.refreshToken(0, of: id == "a" ? Fixtures.session : Fixtures.otherSession)
            let grant = TokenGrant(accessToken: id, refreshToken: token, expiresIn: .seconds(600), userID: user)
            try await bench.session.signIn(.tokens(grant))
        }
        try await signIn("a")
        let outbox = try bench.outbox()
        try await outbox.enqueue(try bench.request("one"))
        try await bench.next("one").fail()
        try await signIn("b")
        await outbox.flush()
        #expect(bench.transport.unclaimed.isEmpty && outbox.counts.others == 1)
        // The first session again, now with its user known: what it had comes first.
        try await signIn("a", user: "u1")
        let early = try await bench.next("one")
        try await outbox.enqueue(try bench.request("two"))
        early.answer(200)
        outbox.wake()
        try await bench.next("two").answer(200)
    }

    @Test func `an outbox holds its items while the session store is unreadable, and sends them afterwards`()
        async throws
    {
        bench.store.readFault = SessionStoreError(.locked, "locked")
        let session = try bench.sibling()
        #expect(session.state == .unknown)
        let outbox = try session.outbox(directory: bench.folder.url)
        let request = try bench.request("one")
        let fault = OutboxError.storeUnavailable(SessionStoreError(.locked, "locked"))
        await #expect(throws: fault) { try await outbox.enqueue(request) }
        await #expect(throws: fault) { try await outbox.deadLetters() }
        await #expect(throws: fault) { try await outbox.discardEverything() }
        await #expect(throws: fault) { try await outbox.retry(UUID()) }
        try await outbox.enqueue(request, userID: "u-ada@example.com")
        await outbox.flush()
        #expect(bench.transport.unclaimed.isEmpty && bench.files.count == 1)
        bench.store.readFault = nil
        // No notification reaches the outbox: it reads the store again at intervals.
        await bench.clock.waitForSleep(for: .seconds(30))
        bench.clock.advance(by: .seconds(30))
        try await bench.next("one").answer(200)
    }

    @Test func `an outbox accepts an item for the stored user once the session store is readable again`() async throws {
        bench.store.readFault = SessionStoreError(.locked, "locked")
        let session = try bench.sibling()
        let outbox = try session.outbox(directory: bench.folder.url)
        bench.store.readFault = nil
        try await outbox.enqueue(try bench.request("one"))
        #expect(try await bench.next("one").bearer == "access-1")
    }

    @Test func `an item whose token is refused is held until the session has another token`() async throws {
        let outbox = try bench.outbox()
        let events = outbox.events
        try await outbox.enqueue(try bench.request("one"), lane: "a")
        try await bench.next("one").answer(401)
        try await bench.next("one").answer(401)
        try await events.next(.held(.tokenRefused))
        #expect(outbox.counts.held == 1)
        bench.clock.advance(by: .seconds(300))
        #expect(bench.transport.unclaimed.isEmpty)
        try await bench.session.refresh()
        let again = try await bench.next("one")
        #expect(again.bearer == "access-3")
        again.answer(200)
        await outbox.flush()
        #expect(bench.files.isEmpty)
    }

    @Test func `the counts of a held item are published before the event`() async throws {
        let outbox = try bench.outbox()
        let held = Locked<[Int]>([])
        outbox.broadcaster.observe { [broadcaster = outbox.broadcaster] event in
            if case .held = event.kind { held.withLock { $0.append(broadcaster.counts.held) } }
        }
        try await refused(outbox)
        #expect(held.withLock { $0 } == [1])
        try await bench.session.signOut()
        await outbox.flush()
        #expect(held.withLock { $0 } == [1, 1])
    }

    @Test(arguments: [201, 422])
    func `the counts of an item that leaves the queue are published before the event`(status: Int) async throws {
        let outbox = try bench.outbox()
        await outbox.flush()
        let seen = Locked<[String: [Int]]>([:])
        outbox.broadcaster.observe { [broadcaster = outbox.broadcaster] event in
            let counts = broadcaster.counts
            switch event.kind {
            case .enqueued: seen.withLock { $0["enqueued"] = [counts.waiting, counts.sending, counts.dead] }
            case .delivered, .dead: seen.withLock { $0["last"] = [counts.waiting, counts.sending, counts.dead] }
            default: break
            }
        }
        try await outbox.enqueue(try bench.request("one"), lane: "a")
        try await bench.next("one").answer(status)
        await outbox.flush()
        #expect(seen.withLock { $0 } == ["enqueued": [1, 0, 0], "last": [0, 0, status == 422 ? 1 : 0]])
    }

    @Test func `an item that a scan finds during its enqueue is reported as enqueued before it is sent`() async throws {
        let outbox = try bench.outbox()
        await outbox.flush()
        let account = try #require(outbox.driver.makeAccounts(bench.session.status).last)
        let events = Locked<[OutboxEvent.Kind]>([])
        outbox.broadcaster.observe { event in events.withLock { $0.append(event.kind) } }
        let draft = try OutboxFolder.Draft.posting("one")
        try await outbox.driver.store([draft.id], to: account.folder) { [bench] in
            let appended = try await outbox.disk.append([draft], to: account.folder)
            await outbox.driver.scan(.all)
            try await bench.next("one").answer(201)
            await outbox.flush()
            return appended
        }
        #expect(events.withLock { $0 } == [.enqueued, .sending(attempt: 1), .delivered(status: 201)])
    }

    /// An item whose token and its successor were refused.
    private func refused(_ outbox: RequestOutbox, lane: String = "a") async throws {
        let events = outbox.events
        try await outbox.enqueue(try bench.request("one"), lane: lane)
        try await bench.next("one").answer(401)
        try await bench.next("one").answer(401)
        try await events.next(.held(.tokenRefused))
        #expect(outbox.counts.held == 1)
    }

    @Test func `a call of the app that the server accepts ends the hold of a refused token`() async throws {
        let outbox = try bench.outbox()
        try await refused(outbox)
        async let call = bench.session.data(for: bench.bench.request("/things"))
        let live = try await bench.transport.next()
        #expect(live.bearer == "access-2" && live.path == "/things")
        live.answer(200)
        _ = try await call
        let again = try await bench.next("one")
        #expect(again.bearer == "access-2", "the same token")
        again.answer(200)
        await outbox.flush()
        #expect(bench.files.isEmpty)
    }

    @Test func `a call that the server accepts as soon as the hold is reported ends the hold`() async throws {
        let outbox = try bench.outbox()
        outbox.broadcaster.observe { [acceptance = bench.session.published.acceptance] event in
            if event.kind == .held(.tokenRefused) { acceptance.signal() }
        }
        try await outbox.enqueue(try bench.request("one"))
        try await bench.next("one").answer(401)
        try await bench.next("one").answer(401)
        #expect(try await bench.next("one").bearer == "access-2")
    }

    @Test func `a call that fails or has no token does not end the hold of a refused token`() async throws {
        let outbox = try bench.outbox()
        try await refused(outbox)
        for status in [404, 500] {
            async let call = bench.session.data(for: bench.bench.request("/things"))
            try await bench.transport.next(to: "/things").answer(status)
            _ = try await call
        }
        async let foreign = bench.session.data(for: URLRequest(url: Fixtures.url("https://other.example/")))
        try await bench.transport.next(to: "/").answer(200)
        _ = try await foreign
        #expect(outbox.counts.held == 1 && bench.transport.unclaimed.isEmpty)
    }

    @Test func `an item that another lane delivers ends the hold of a refused token`() async throws {
        let outbox = try bench.outbox()
        try await refused(outbox)
        try await outbox.enqueue(try bench.request("two"), lane: "b")
        try await bench.next("two").answer(200)
        try await bench.next("one").answer(200)
    }

    @Test(arguments: ["wake", "flush", "network"])
    func `a wake, a flush or a network change ends the hold of a refused token`(news: String) async throws {
        let outbox = try bench.outbox()
        try await refused(outbox)
        switch news {
        case "wake": outbox.wake()
        case "flush": Task { await outbox.flush() }
        default: bench.session.published.emit(.networkChanged(isUp: true))
        }
        #expect(try await bench.next("one").bearer == "access-2")
    }

    @Test func `an item waits while the token refresh cannot reach the server, and is then delivered`() async throws {
        let outbox = try bench.outbox()
        let events = outbox.events
        bench.clock.advance(by: .seconds(601))
        bench.bench.backend.fail(.requestLost, .requestLost, .requestLost)
        try await outbox.enqueue(try bench.request("one"))
        // Time goes on as often as somebody waits for it.
        let time = Task { [clock = bench.clock] in
            for await pause in clock.sleeps { clock.advance(by: max(pause, .seconds(1))) }
        }
        defer { time.cancel() }
        try await bench.next("one").answer(200)
        try await events.next(.delivered(status: 200))
        #expect(bench.bench.backend.counts.refreshes >= 4)
    }
}
