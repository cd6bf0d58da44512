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

/// Items go with their user, whenever that user becomes known; those of an unknown user are adopted on demand alone.
@Suite(.timeLimit(.minutes(5))) struct `Outbox users` {
    let bench = SessionFixture()
    let store = InMemoryStore()
    let transport = ManualTransport()
    let folder: Folder

    init() throws { folder = try Folder() }

    private func session() throws -> AuthSession {
        try bench.session(contract: .named("outbox"), store: store, transport: transport)
    }

    private func outbox(_ session: AuthSession, _ configuration: OutboxConfiguration = .init()) throws -> RequestOutbox
    {
        try session.outbox(directory: folder.url, configuration: configuration)
    }

    private func request(_ body: String) throws -> URLRequest {
        var request = try bench.request("/api/v1/messages")
        request.httpMethod = "POST"
        request.httpBody = Data(body.utf8)
        return request
    }

    /// Signs in with tokens that name a user, or none.
    private func signIn(_ session: AuthSession, _ name: String, user: String? = nil) async throws {
        let access = user.map { Fixtures.jwt(#"{"sub":"\#($0)","n":"\#(name)","exp":4000000000}"#) } ?? name
        try await session.signIn(
            .tokens(TokenGrant(accessToken: access, refreshToken: "r-\(name)", expiresIn: .seconds(900)))
        )
    }

    /// Answers a refresh with a token that names the user.
    private func learn(_ user: String, _ session: AuthSession) async throws {
        async let refreshed: Void = session.refresh()
        let token = Fixtures.jwt(#"{"sub":"\#(user)","exp":4000000000}"#)
        try await transport.next(to: "/api/v1/auth/refresh").answer(
            200,
            json: #"{"data":{"access_token":"\#(token)","refresh_token":"r-\#(user)-2"}}"#
        )
        try await refreshed
    }

    private func next(_ body: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> PendingRequest
    {
        let pending = try await transport.next()
        #expect(pending.body == body, sourceLocation: sourceLocation)
        return pending
    }

    /// Has the next request fail, and returns when the outbox knows.
    private func fail(_ body: String, of outbox: RequestOutbox) async throws {
        let events = outbox.events
        try await next(body).fail()
        _ = try await events.next { if case .retrying = $0 { true } else { false } }
    }

    private func files(_ folder: String) -> [String] {
        let all = FileManager.default.enumerator(atPath: self.folder.url.path)?.compactMap { $0 as? String } ?? []
        return all.filter { $0.contains("/\(folder)/") }.sorted()
    }

    // MARK: A forced re-login

    @Test func `an item waits for its user after a forced sign-out, and is not sent for another user`() async throws {
        let session = try session()
        try await signIn(session, "a", user: "u-1")
        let outbox = try outbox(session)
        try await outbox.enqueue(try request("one"))
        let first = try await next("one")
        first.answer(401)
        try await transport.next(to: "/api/v1/auth/refresh").answer(
            401,
            json: #"{"error":{"message":"Refresh token revoked"}}"#
        )
        for await state in session.states { if case .signedOut = state { break } }
        // Another user first, who must not send it.
        try await signIn(session, "b", user: "u-2")
        await outbox.flush()
        #expect(outbox.counts.others == 1 && outbox.counts.unknown == 0 && transport.unclaimed.isEmpty)
        try await signIn(session, "c", user: "u-1")
        // On a busy machine the attempt that the sign-out withdrew still holds the lane for a moment.
        let again = try await bench.clock.skipPauses { try await transport.next(to: "/api/v1/messages") }
        #expect(again.body == "one" && again.key == first.key)
        again.answer(201)
        await outbox.flush()
        #expect(files("waiting").isEmpty)
    }

    @Test func `an item of a user whose ID is equivalent to that of the signed-in user waits for its own user`()
        async throws
    {
        let session = try session()
        let outbox = try outbox(session)
        // U+212A equals K, and is another character for a backend.
        try await signIn(session, "a", user: "Kate")
        try await outbox.enqueue(try request("later"), userID: "\u{212A}ate")
        await outbox.flush()
        #expect(outbox.counts.others == 1 && transport.unclaimed.isEmpty)
        try await signIn(session, "b", user: "\u{212A}ate")
        try await transport.next(to: "/api/v1/messages").answer(201)
    }

    // MARK: A user becomes known

    @Test func `a session's items and dead letters move to its user when the user becomes known`() async throws {
        let session = try session()
        try await signIn(session, "a")
        var outbox: RequestOutbox? = try self.outbox(session)
        try await outbox?.enqueue(try request("bad"), lane: "x")
        let events = try #require(outbox).events
        try await next("bad").answer(400)
        try await events.next(.dead(.rejected(status: 400)))
        try await outbox?.enqueue(contentsOf: [try request("one"), try request("two")])
        try await fail("one", of: try #require(outbox))
        let before = files("waiting").compactMap { $0.split(separator: "/").last }
        try await learn("u-1", session)
        try await fail("one", of: try #require(outbox))
        #expect(files("waiting").compactMap { $0.split(separator: "/").last } == before, "numbers and ages stay")
        #expect(
            files("waiting").allSatisfy { $0.hasPrefix("user") } && files("dead").allSatisfy { $0.hasPrefix("user") }
        )
        #expect(try await outbox?.deadLetters().map(\.reason) == [.rejected(status: 400)])
        #expect(files("dead").count == 2)
        // The user comes back in another session, and everything is there.
        outbox = nil
        try await signIn(session, "b", user: "u-1")
        let second = try self.outbox(session)
        try await transport.next(to: "/api/v1/messages").answer(201)
        try await transport.next(to: "/api/v1/messages").answer(201)
        await second.flush()
        #expect(second.counts.dead == 1 && second.counts.others == 0 && files("waiting").isEmpty)
    }

    @Test func `an item that is being sent completes before its lane moves to a user who becomes known`() async throws {
        let session = try session()
        try await signIn(session, "a")
        let outbox = try outbox(session)
        try await outbox.enqueue(contentsOf: [try request("one"), try request("two")])
        let one = try await next("one")
        try await outbox.enqueue(try request("other"), lane: "b")
        try await next("other").answer(201)
        try await learn("u-1", session)
        // Put down after, and sent after.
        try await outbox.enqueue(try request("three"))
        #expect(transport.unclaimed.isEmpty)
        one.answer(201)
        try await next("two").answer(201)
        try await next("three").answer(201)
        await outbox.flush()
        #expect(files("waiting").isEmpty && outbox.counts == OutboxCounts())
    }

    @Test func `an item that is enqueued right after the user becomes known is sent after earlier items`() async throws
    {
        let session = try session()
        try await signIn(session, "a")
        let outbox = try outbox(session)
        try await outbox.enqueue(try request("one"))
        try await fail("one", of: outbox)
        try await learn("u-1", session)
        try await outbox.enqueue(try request("two"))
        outbox.wake()
        try await next("one").answer(201)
        try await next("two").answer(201)
    }

    @Test func `a sibling outbox lists moved items whose numbers are older than those it knows`() async throws {
        let serials = Locked(0)
        func open(_ name: String) throws -> OutboxFolder {
            try #require(try OutboxFolder("\(folder.url.path)/\(name)", creating: true, serials))
        }
        func put(_ body: String, at second: Double, _ folder: OutboxFolder) throws {
            let draft = OutboxFolder.Draft(id: UUID(), lane: "a", bytes: Data(body.utf8))
            _ = try folder.append([[draft]], at: Date(timeIntervalSince1970: second), within: OutboxConfiguration())
        }
        let (user, sibling, early) = (try open("user"), try open("user"), try open("early"))
        try put("old", at: 100, early)
        try put("new", at: 200, user)
        #expect(try sibling.list().waiting.count == 1)
        #expect(try user.merge(early).moved == 1)
        #expect(try sibling.isUpToDate() == false)
        let news = try sibling.listNew()
        #expect(news.waiting.map(\.date.timeIntervalSince1970) == [100, 200])
        #expect(try early.list().waiting.isEmpty && user.merge(early).moved == 0)
        #expect(try user.cachedState.items == 2 && early.count() == 0)
    }

    @Test func `a lane that is being sent is moved to its user only after its lock is released`() throws {
        let serials = Locked(0)
        let user = try #require(try OutboxFolder("\(folder.url.path)/user", creating: true, serials))
        let early = try #require(try OutboxFolder("\(folder.url.path)/early", creating: true, serials))
        let drafts = ["a", "b"].map { OutboxFolder.Draft(id: UUID(), lane: $0, bytes: Data("x\n".utf8)) }
        _ = try early.append([drafts], at: Date(timeIntervalSince1970: 1), within: OutboxConfiguration())
        let lock = try #require(try early.lanes.tryRemovableLock(OutboxFolder.laneLock("a")))
        let merge = try user.merge(early)
        #expect(merge.moved == 1 && merge.left == 1)
        #expect(try early.list().waiting.map(\.lane) == ["a"])
        lock.release()
        #expect(try user.merge(early).moved == 1)
    }

    @Test func `lanes whose names are canonically equivalent have separate locks`() throws {
        let serials = Locked(0)
        let user = try #require(try OutboxFolder("\(folder.url.path)/user", creating: true, serials))
        let early = try #require(try OutboxFolder("\(folder.url.path)/early", creating: true, serials))
        let lanes = ["\u{E9}", "e\u{301}"]
        let drafts = lanes.map { OutboxFolder.Draft(id: UUID(), lane: $0, bytes: Data("x\n".utf8)) }
        _ = try early.append([drafts], at: Date(timeIntervalSince1970: 1), within: OutboxConfiguration())
        for lane in lanes {
            let lock = try #require(try early.lanes.tryRemovableLock(OutboxFolder.laneLock(lane)))
            defer { lock.release() }
            let merge = try user.merge(early)
            #expect(merge.left == 1)
            #expect(try early.list().waiting.map { Array($0.lane.utf8) } == [Array(lane.utf8)])
            // Back for the other lane.
            lock.release()
            #expect(try early.merge(user).moved == merge.moved)
        }
    }

    // MARK: Users who do not return

    @Test func `items of an unknown user are adopted only by an explicit call`() async throws {
        let session = try session()
        try await signIn(session, "a")
        let outbox = try outbox(session)
        let events = outbox.events
        try await outbox.enqueue(contentsOf: [try request("one"), try request("two")])
        try await fail("one", of: outbox)
        try await signIn(session, "b", user: "u-1")
        try await transport.next(to: "/api/v1/auth/logout").answer(204)
        try await events.next(.othersWaiting(2))
        bench.clock.advance(by: .seconds(300))
        await outbox.flush()
        #expect(transport.unclaimed.isEmpty && outbox.counts.others == 2 && outbox.counts.unknown == 2)
        let account = try #require(try await outbox.otherAccounts().first)
        #expect(account.userID == nil && account.sessionID != nil && account.waiting == 2 && account.dead == 0)
        #expect(account.origin == Fixtures.origin && account.bytes > 0)
        #expect(try await outbox.adopt(account) == 2)
        try await transport.next(to: "/api/v1/messages").answer(201)
        try await next("two").answer(201)
        await outbox.flush()
        #expect(outbox.counts == OutboxCounts())
        #expect(try await outbox.otherAccounts().isEmpty)
        #expect(try await outbox.adopt(account) == 0)
        try await events.next(.othersWaiting(0))
    }

    @Test func `items of another known user cannot be adopted, but can be listed and discarded`() async throws {
        let session = try session()
        try await signIn(session, "a", user: "u-1")
        let outbox = try outbox(session)
        try await outbox.enqueue(try request("mine"), userID: "u-9")
        try await outbox.enqueue(try request("theirs"), userID: "u-8")
        let accounts = try await outbox.otherAccounts()
        #expect(accounts.map(\.userID) == ["u-8", "u-9"] && accounts.map(\.waiting) == [1, 1])
        for account in accounts {
            await #expect(throws: OutboxError.notAdoptable) { try await outbox.adopt(account) }
        }
        try await outbox.discardEverything(of: accounts[0])
        #expect(try await outbox.otherAccounts().map(\.userID) == ["u-9"])
        await outbox.flush()
        #expect(outbox.counts.others == 1 && outbox.counts.unknown == 0)
    }

    @Test func `items of another backend are listed, but cannot be adopted`() async throws {
        let session = try session()
        let elsewhere = SessionOwner.session("s").folder(at: "https://other.example:443")
        let path = "\(folder.url.path)/\(elsewhere)"
        let other = try #require(try OutboxFolder(path, creating: true, Locked(0)))
        let draft = OutboxFolder.Draft(id: UUID(), lane: "a", bytes: Data("x\n".utf8))
        _ = try other.append([[draft]], at: Date(), within: OutboxConfiguration())
        try await signIn(session, "a", user: "u-1")
        let outbox = try outbox(session)
        let account = try #require(try await outbox.otherAccounts().first)
        #expect(account.origin == "https://other.example:443")
        await #expect(throws: OutboxError.notAdoptable) { try await outbox.adopt(account) }
    }

    @Test func `items are not adopted while no user is signed in`() async throws {
        let session = try session()
        try await signIn(session, "a")
        let outbox = try outbox(session)
        try await outbox.enqueue(try request("one"))
        try await fail("one", of: outbox)
        async let signedOut: Void = session.signOut()
        try await transport.next(to: "/api/v1/auth/logout").answer(204)
        try await signedOut
        let account = try #require(try await outbox.otherAccounts().first)
        await #expect(throws: OutboxError.noAccount) { try await outbox.adopt(account) }
    }

    @Test(arguments: ["u", "a at b", "user x at https://y:1", "", "Ä/..", " at "])
    func `the name of an outbox folder encodes its owner and backend, and other names are rejected`(id: String) throws {
        for owner in [SessionOwner.user(id), .session(id)] {
            let found = try #require(SessionOwner.owner(ofFolder: owner.folder(at: Fixtures.origin)))
            #expect(found.owner == owner && found.origin == Fixtures.origin)
        }
        for name in ["x", "user", "user%20", "session%20at%20", "user%20at%20x", "..", "number"] {
            #expect(SessionOwner.owner(ofFolder: name) == nil, "\(name)")
        }
    }

    // MARK: Items of newer versions

    @Test func `an item of a newer version waits for that version, and is no dead letter`() async throws {
        let session = try session()
        try await signIn(session, "a", user: "u-1")
        // An event before this would be missed.
        let outbox = try outbox(session)
        let events = outbox.events
        let name = SessionOwner.user("u-1").folder(at: Fixtures.origin)
        let account = try #require(try OutboxFolder("\(folder.url.path)/\(name)", creating: true, Locked(0)))
        let bytes = Data("{\"version\":2,\"sealed\":true}\nx".utf8)
        let draft = OutboxFolder.Draft(id: UUID(), lane: "a", bytes: bytes)
        _ = try account.append([[draft]], at: bench.clock.wall, within: OutboxConfiguration())
        try await outbox.enqueue(try request("one"), lane: "b")
        try await events.next(.held(.newerVersion))
        try await next("one").answer(201)
        await outbox.flush()
        #expect(outbox.counts.dead == 0 && outbox.counts.waiting == 1 && files("waiting").count == 1)
    }
}
