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

@Suite(.timeLimit(.minutes(5))) struct `Outbox dead letters` {
    let bench: OutboxFixture

    init() async throws { bench = try await OutboxFixture() }

    private func enqueue(_ bodies: [String], in outbox: RequestOutbox) async throws -> [UUID] {
        try await outbox.enqueue(contentsOf: try bodies.map(bench.request), lane: "notes")
    }

    @Test func `a rejected item is set aside with the server's message, and the lane continues`() async throws {
        let outbox = try bench.outbox()
        let ids = try await enqueue(["bad", "good"], in: outbox)
        let secret = String(repeating: "a1b2", count: 20)
        try await bench.next("bad").answer(422, json: #"{"error":"title_empty","error_description":"no \#(secret)"}"#)
        try await bench.next("good").answer(200)
        await outbox.flush()
        let letters = try await outbox.deadLetters()
        let letter = try #require(letters.first)
        #expect(letters.count == 1 && outbox.counts.dead == 1 && bench.files.isEmpty)
        #expect(letter.id == ids[0] && letter.lane == "notes" && letter.reason == .rejected(status: 422))
        #expect(letter.text == "no ••• (title_empty)" && letter.attempts == 1)
        #expect(letter.deadLetteredAt == bench.clock.wall)
        let request = try await outbox.request(of: letter.id)
        #expect(request?.httpBody == Data("bad".utf8))
        #expect(!bench.contents.contains(secret))
    }

    @Test func `a dead letter is retried at the end of its lane, with its key, and can be discarded`() async throws {
        let outbox = try bench.outbox()
        let ids = try await enqueue(["bad", "two", "three"], in: outbox)
        let first = try await bench.next("bad")
        first.answer(400)
        let second = try await bench.next("two")
        try await outbox.retry(ids[0])
        await #expect(throws: OutboxError.noSuchItem) { try await outbox.retry(ids[0]) }
        second.answer(200)
        try await bench.next("three").answer(200)
        let again = try await bench.next("bad")
        #expect(again.key == first.key)
        again.answer(400)
        await outbox.flush()
        try await outbox.discard(ids[0])
        await #expect(throws: OutboxError.noSuchItem) { try await outbox.discard(ids[0]) }
        #expect(try await outbox.deadLetters().isEmpty)
        #expect(outbox.counts == OutboxCounts())
    }

    @Test func `with strict order, a dead letter holds its lane, and is sent first when it is retried`() async throws {
        var configuration = OutboxConfiguration()
        configuration.policy.deadLetters = .hold
        var outbox = try bench.outbox(configuration)
        let ids = try await enqueue(["one", "two"], in: outbox)
        try await bench.next("one").answer(404)
        await outbox.flush()
        #expect(outbox.counts.held == 1 && outbox.counts.dead == 1)
        outbox = try bench.outbox(configuration)
        await outbox.flush()
        #expect(bench.transport.unclaimed.isEmpty, "also after a restart")
        try await outbox.retry(ids[0])
        try await bench.next("one").answer(200)
        try await bench.next("two").answer(200)
    }

    @Test func `an expired item becomes a dead letter without another attempt, and its retry is sent`() async throws {
        var configuration = OutboxConfiguration()
        configuration.maximumAge = .seconds(60)
        let outbox = try bench.outbox(configuration)
        let events = outbox.events
        let ids = try await enqueue(["old"], in: outbox)
        try await bench.next("old").answer(503, headers: ["Retry-After": "100"])
        try await events.next(.retrying(after: .seconds(101)))
        bench.clock.advance(by: .seconds(101))
        try await events.next(.dead(.expired))
        await outbox.flush()
        #expect(try await outbox.deadLetters().first?.attempts == 1)
        try await outbox.retry(ids[0])
        try await bench.next("old").answer(200)
    }

    @Test(arguments: [Damage.cut, .garbage, .empty, .openToOthers, .folder])
    func `a damaged item file becomes a dead letter, and the next item is sent`(damage: Damage) async throws {
        var outbox: RequestOutbox? = try bench.outbox()
        let ids = try await enqueue(["one", "two"], in: try #require(outbox))
        try await bench.fail("one", of: outbox)
        outbox = nil
        let account = try #require(bench.folder.names.first)
        let file = bench.folder.url.appending(path: "\(account)/waiting/\(try #require(bench.files.first))")
        try damage.apply(to: file)
        let next = try bench.outbox()
        try await bench.next("two").answer(200)
        await next.flush()
        let letters = try await next.deadLetters()
        #expect(letters.map(\.id) == [ids[0]] && letters.map(\.reason) == [.damaged])
        #expect(next.counts.dead == 1 && next.counts.waiting == 0)
    }

    enum Damage {
        case cut, garbage, empty, openToOthers, folder

        func apply(to file: URL) throws {
            let bytes = try Data(contentsOf: file)
            switch self {
            case .cut: try bytes.dropLast().write(to: file)
            case .garbage: try Data(repeating: 0xFF, count: bytes.count).write(to: file)
            case .empty: try Data().write(to: file)
            case .openToOthers: break
            case .folder:
                try FileManager.default.removeItem(at: file)
                try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
            }
            if self == .folder { return }
            let mode = self == .openToOthers ? 0o644 : 0o600
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        }
    }

    @Test func `an item for a host that the session no longer allows becomes a dead letter`() async throws {
        var wide = bench.bench
        wide.configuration.additionalHosts = ["cdn.example.com"]
        let session = try wide.session(store: bench.store, transport: bench.transport)
        var outbox: RequestOutbox? = try session.outbox(directory: bench.folder.url)
        try await outbox?.enqueue(URLRequest(url: try Fixtures.url("https://cdn.example.com/x")))
        try await bench.fail("", of: outbox)
        outbox = nil
        let next = try bench.outbox()
        let events = next.events
        await next.flush()
        _ = events
        #expect(try await next.deadLetters().map(\.reason) == [.foreignHost])
        #expect(bench.transport.unclaimed.isEmpty)
    }

    @Test func `an item that the server rejected is not sent again after a disk failure`() async throws {
        let outbox = try bench.outbox()
        let events = outbox.events
        _ = try await enqueue(["bad"], in: outbox)
        let pending = try await bench.next("bad")
        let account = try #require(bench.folder.names.first)
        let file = try #require(bench.files.first)
        let obstacle = bench.folder.url.appending(path: "\(account)/dead/why.\(file)")
        try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: false)
        pending.answer(400)
        try await events.next(.retrying(after: .seconds(1)))
        #expect(bench.files == [file])
        try FileManager.default.removeItem(at: obstacle)
        bench.clock.advance(by: .seconds(1))
        await outbox.flush()
        #expect(bench.transport.unclaimed.isEmpty && bench.files.isEmpty)
        #expect(try await outbox.deadLetters().map(\.reason) == [.rejected(status: 400)])
    }
}
