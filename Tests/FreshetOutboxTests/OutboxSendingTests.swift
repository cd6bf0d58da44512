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

@Suite(.timeLimit(.minutes(5))) struct `Sending from an outbox` {
    let bench: OutboxFixture

    init() async throws { bench = try await OutboxFixture() }

    @Test func `an item is stored on disk when it is accepted, and deleted when it is delivered`() async throws {
        let outbox = try bench.outbox()
        let events = outbox.events
        let id = try await outbox.enqueue(try bench.request("one"), lane: "notes")
        let file = try #require(bench.files.first)
        #expect(file.hasSuffix(".\(id.uuidString.lowercased()).notes"))
        let pending = try await bench.next("one")
        #expect(pending.bearer == "access-1" && pending.key == id.uuidString.lowercased())
        #expect(outbox.counts.sending == 1 && outbox.counts.bytes > 0)
        #expect(bench.files == [file], "it stays until there is an answer")
        pending.answer(201)
        await outbox.flush()
        #expect(bench.files.isEmpty && outbox.counts == OutboxCounts())
        var kinds: [OutboxEvent.Kind] = []
        for await event in events {
            #expect(event.id == id || event.id == nil)
            if event.id != nil { kinds.append(event.kind) }
            if event.kind == .delivered(status: 201) { break }
        }
        #expect(kinds == [.enqueued, .sending(attempt: 1), .delivered(status: 201)])
    }

    @Test func `an outbox's files and folders are accessible only to their owner and contain no tokens`() async throws {
        let outbox = try bench.outbox()
        try await outbox.enqueue(try bench.request("one"))
        _ = try await bench.transport.next()
        let account = try #require(bench.folder.names.first)
        for name in ["", "/waiting", "/dead", "/lanes"] { #expect(try bench.folder.mode(account + name) == 0o700) }
        let file = try #require(bench.files.first)
        #expect(try bench.folder.mode("\(account)/waiting/\(file)") == 0o600)
        #expect(!bench.contents.contains("access-1") && !bench.contents.contains("frt_"))
    }

    @Test func `an item is sent with the session's current access token, also after a refresh`() async throws {
        let outbox = try bench.outbox()
        try await outbox.enqueue(contentsOf: [try bench.request("one"), try bench.request("two")])
        try await bench.next("one").answer(200)
        let second = try await bench.next("two")
        #expect(second.bearer == "access-1")
        second.answer(401)
        let again = try await bench.next("two")
        #expect(again.bearer == "access-2" && again.key == second.key)
        again.answer(200)
        await outbox.flush()
        #expect(outbox.counts == OutboxCounts())
    }

    @Test func `every attempt to send an item carries the same idempotency key, also after a restart`() async throws {
        var outbox = try bench.outbox()
        try await outbox.enqueue(try bench.request("one"))
        let first = try await bench.next("one")
        let events = outbox.events
        first.answer(503)
        try await events.next(.retrying(after: .seconds(1)))
        bench.clock.advance(by: .seconds(1))
        let second = try await bench.next("one")
        #expect(second.key == first.key)
        second.fail()
        _ = try await events.next { if case .retrying = $0 { true } else { false } }
        outbox = try bench.outbox()
        let third = try await bench.transport.next()
        #expect(third.key == first.key && third.body == "one")
    }

    @Test func `a lane keeps its order, and a paused lane does not delay another lane`() async throws {
        let outbox = try bench.outbox()
        let events = outbox.events
        for body in ["a1", "a2"] { try await outbox.enqueue(try bench.request(body), lane: "a") }
        try await bench.next("a1").answer(500)
        try await events.next(.retrying(after: .seconds(1)))
        for body in ["b1", "b2"] { try await outbox.enqueue(try bench.request(body), lane: "b") }
        try await bench.next("b1").answer(200)
        try await bench.next("b2").answer(200)
        try await events.next(.delivered(status: 200))
        try await events.next(.delivered(status: 200))
        #expect(bench.transport.unclaimed.isEmpty)
        bench.clock.advance(by: .seconds(1))
        try await bench.next("a1").answer(200)
        try await bench.next("a2").answer(200)
    }

    @Test func `waking an outbox retries an item that failed offline, but not one that waits for Retry-After`()
        async throws
    {
        let outbox = try bench.outbox()
        let events = outbox.events
        try await outbox.enqueue(try bench.request("one"), lane: "a")
        try await bench.next("one").answer(429, headers: ["Retry-After": "40"])
        try await events.next(.retrying(after: .seconds(41)))
        try await outbox.enqueue(try bench.request("two"), lane: "b")
        try await bench.next("two").fail(URLError(.notConnectedToInternet))
        try await events.next(.retrying(after: .seconds(1)))
        outbox.wake()
        try await bench.next("two").answer(200)
        try await events.next(.delivered(status: 200))
        #expect(bench.transport.unclaimed.isEmpty && outbox.counts.waiting == 1)
        bench.clock.advance(by: .seconds(41))
        try await bench.next("one").answer(200)
    }

    @Test func `items that an earlier launch stored are sent in their order`() async throws {
        var outbox: RequestOutbox? = try bench.outbox()
        try await outbox?.enqueue(contentsOf: [try bench.request("one"), try bench.request("two")])
        try await bench.fail("one", of: outbox)
        outbox = nil
        let next = try bench.outbox()
        try await bench.next("one").answer(200)
        try await bench.next("two").answer(200)
        await next.flush()
        #expect(bench.files.isEmpty)
    }

    @Test func `items that concurrent callers enqueue are all stored and sent`() async throws {
        let outbox = try bench.outbox()
        let bench = bench
        let ids = try await withThrowingTaskGroup(of: UUID.self) { group in
            for number in 0..<50 {
                group.addTask { try await outbox.enqueue(try bench.request("\(number)"), lane: "\(number)") }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(ids.count == 50 && bench.files.count == 50)
        var bodies: Set<String> = []
        for _ in 0..<50 {
            let pending = try await bench.transport.next()
            bodies.insert(pending.body)
            pending.answer(200)
        }
        await outbox.flush()
        #expect(bodies.count == 50 && bench.files.isEmpty)
    }

    // MARK: What is not taken

    @Test func `an item over a size or number limit, or for a foreign host, is refused and leaves no file`()
        async throws
    {
        var configuration = OutboxConfiguration()
        configuration.maximumItemBytes = 1_000
        configuration.maximumItems = 2
        let outbox = try bench.outbox(configuration)
        let large = try bench.request(String(repeating: "x", count: 1_000))
        await #expect(throws: OutboxError.self) { try await outbox.enqueue(large) }
        let foreign = URLRequest(url: try Fixtures.url("https://other.example/x"))
        await #expect(throws: OutboxError.self) { try await outbox.enqueue(foreign) }
        let request = try bench.request("x")
        let lane = String(repeating: "x", count: 65)
        await #expect(throws: OutboxError.self) { try await outbox.enqueue(request, lane: lane) }
        await #expect(throws: OutboxError.full) { try await outbox.enqueue(contentsOf: [request, request, request]) }
        #expect(bench.files.isEmpty)
        try await outbox.enqueue(contentsOf: [request, request])
        await #expect(throws: OutboxError.full) { try await outbox.enqueue(request) }
        try await bench.next("x").answer(200)
        _ = try await bench.next("x")
        try await outbox.enqueue(request)
    }

    @Test func `the total bytes of an outbox's items are limited`() async throws {
        var configuration = OutboxConfiguration()
        configuration.maximumBytes = 1_000
        let outbox = try bench.outbox(configuration)
        let request = try bench.request(String(repeating: "x", count: 500))
        try await outbox.enqueue(request)
        await #expect(throws: OutboxError.full) { try await outbox.enqueue(request) }
        #expect(bench.files.count == 1)
    }

    @Test func `an item that cannot be written is refused and leaves no file, and the next one is accepted`()
        async throws
    {
        let outbox = try bench.outbox()
        try await outbox.enqueue(try bench.request("one"))
        let pending = try await bench.next("one")
        let account = try #require(bench.folder.names.first)
        let obstacle = bench.folder.url.appending(path: "\(account)/number")
        try FileManager.default.removeItem(at: obstacle)
        try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: false)
        let request = try bench.request("two")
        var isRefused = false
        do throws(OutboxError) { try await outbox.enqueue(contentsOf: [request, request]) } catch {
            if case .storeUnavailable = error { isRefused = true }
        }
        #expect(isRefused && bench.files.count == 1)
        try FileManager.default.removeItem(at: obstacle)
        try await outbox.enqueue(request)
        pending.answer(200)
        try await bench.next("two").answer(200)
        await outbox.flush()
        #expect(bench.files.isEmpty)
    }

    @Test func `an outbox folder that other users can write to is refused`() throws {
        try bench.folder.setMode(0o777)
        #expect(throws: OutboxError.self) { try bench.outbox() }
    }
}
