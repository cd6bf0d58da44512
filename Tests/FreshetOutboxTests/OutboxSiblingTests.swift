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

/// Several outboxes on one folder, as several processes have them.
@Suite(.timeLimit(.minutes(5))) struct `Outbox siblings` {
    let bench: OutboxFixture

    init() async throws { bench = try await OutboxFixture() }

    @Test func `an item is sent by only one of two outboxes on the same folder`() async throws {
        let first = try bench.outbox()
        try await first.enqueue(contentsOf: [try bench.request("one"), try bench.request("two")])
        let pending = try await bench.next("one")
        let second = try bench.sibling().outbox(directory: bench.folder.url)
        await second.flush()
        #expect(bench.transport.unclaimed.isEmpty)
        pending.answer(200)
        // Whichever of the two takes it.
        try await bench.next("two").answer(200)
        await first.flush()
        bench.clock.advance(by: .seconds(31))
        await second.flush()
        #expect(bench.transport.unclaimed.isEmpty && bench.files.isEmpty)
        #expect(second.counts == OutboxCounts())
    }

    @Test func `an outbox counts dead letters that a sibling outbox creates and discards`() async throws {
        let (first, second) = (try bench.outbox(), try bench.sibling().outbox(directory: bench.folder.url))
        await second.flush()
        let id = try await first.enqueue(try bench.request("one"))
        try await bench.next("one").answer(404)
        // Whichever of the two has sent it, the other one scans once more.
        for outbox in [first, second, first] { await outbox.flush() }
        #expect(first.counts.dead == 1, "\(first.counts)")
        #expect(second.counts == first.counts)
        try await first.discard(id)
        await second.flush()
        #expect(first.counts == OutboxCounts() && second.counts == first.counts)
    }

    @Test func `an outbox no longer counts other users' items after a sibling outbox discards them`() async throws {
        let first = try bench.outbox()
        try await first.enqueue(try bench.request("one"))
        try await bench.fail("one", of: first)
        try await bench.session.signIn(OutboxFixture.bob)
        let second = try bench.sibling().outbox(directory: bench.folder.url)
        await second.flush()
        #expect(second.counts.others == 1)
        let account = try #require(try await first.otherAccounts().first)
        try await first.discardEverything(of: account)
        bench.clock.advance(by: .seconds(31))
        await second.flush()
        #expect(second.counts.others == 0)
    }

    @Test func `an item that was stored while signed out is sent after a sibling outbox's earlier item`() async throws {
        let (first, sibling) = (try bench.outbox(), try bench.sibling())
        let second = try sibling.outbox(directory: bench.folder.url)
        await second.flush()
        let user = try #require(bench.session.status.userID)
        try await bench.session.signOut()
        await sibling.reload()
        try await first.enqueue(try bench.request("one"), userID: user)
        try await second.enqueue(try bench.request("two"), userID: user)
        try await bench.session.signIn(OutboxFixture.ada)
        try await bench.fail("one", of: first)
        await sibling.reload()
        second.wake()
        try await bench.next("one").answer(200)
        try await bench.next("two").answer(200)
    }

    @Test func `with strict order, a dead letter of one outbox holds the lane in a sibling outbox`() async throws {
        var configuration = OutboxConfiguration()
        configuration.policy.deadLetters = .hold
        let first = try bench.outbox(configuration)
        try await first.enqueue(contentsOf: [try bench.request("one"), try bench.request("two")])
        let pending = try await bench.next("one")
        let second = try bench.sibling().outbox(directory: bench.folder.url, configuration: configuration)
        await second.flush()
        pending.answer(404)
        await first.flush()
        bench.clock.advance(by: .seconds(31))
        await second.flush()
        #expect(bench.transport.unclaimed.isEmpty, "the second item is not sent")
        #expect(first.counts.held == 1 && second.counts == first.counts)
    }

    @Test func `an outbox sends an item that a sibling outbox stored, within 30 seconds`() async throws {
        let first = try bench.outbox()
        await first.flush()
        let folder = try #require(try OutboxFolder(accountPath(), creating: true, Locked(0)))
        _ = try folder.append([[try draft("one")]], at: bench.clock.wall, within: OutboxConfiguration())
        await bench.clock.waitForSleep(for: .seconds(30))
        bench.clock.advance(by: .seconds(30))
        try await bench.next("one").answer(200)
    }

    @Test func `an item that a sibling outbox stored first is sent first`() async throws {
        let first = try bench.outbox()
        try await first.enqueue(try bench.request("one"))
        let one = try await bench.next("one")
        let folder = try #require(try OutboxFolder(accountPath(), creating: true, Locked(0)))
        _ = try folder.append([[try draft("two")]], at: bench.clock.wall, within: OutboxConfiguration())
        try await first.enqueue(try bench.request("three"))
        one.answer(200)
        try await bench.next("two").answer(200)
        try await bench.next("three").answer(200)
        await first.flush()
        #expect(bench.files.isEmpty)
    }

    @Test func `item numbers grow across sibling outboxes, regardless of the clock and of a damaged number file`()
        throws
    {
        let (first, second) = (try folder(), try folder())
        var numbers: [UInt64] = []
        for (index, folder) in [first, second, first, first, second].enumerated() {
            let now = Date(timeIntervalSince1970: 1_800_000_000 - Double(index) * 86_400)
            let appended = try folder.append(
                [[try draft("x"), try draft("y")]],
                at: now,
                within: OutboxConfiguration()
            )
            numbers += try #require(appended.batches.first).get().map(\.number)
        }
        #expect(numbers == numbers.sorted() && Set(numbers).count == 10)
        // After the end of power the number's file may be older than the items, or gone.
        for text in ["0000000000000001", "", "garbage"] {
            try Data(text.utf8).write(to: bench.folder.url.appending(path: "f/number"))
            try bench.folder.setMode(0o600, "f/number")
            let appended = try folder().append(
                [[try draft("z")]],
                at: Date(timeIntervalSince1970: 0),
                within: OutboxConfiguration()
            )
            numbers += try #require(appended.batches.first).get().map(\.number)
        }
        #expect(numbers == numbers.sorted() && Set(numbers).count == 13)
    }

    @Test func `an item is claimed by one outbox at a time, and not with a listing that lacks earlier items`() throws {
        let (first, second) = (try folder(), try folder())
        let appended = try first.append([[try draft("x")]], at: Date(), within: OutboxConfiguration())
        let entry = try #require(appended.batches.flatMap { (try? $0.get()) ?? [] }.first)
        let (mine, theirs) = (try first.list(), try second.list())
        guard case .item(_, let lane) = try first.claim(entry, by: mine.serial) else { throw CancellationError() }
        guard case .busy = try second.claim(entry, by: theirs.serial) else { throw CancellationError() }
        lane.release()
        // Later items do not matter, but an item that was appended in between does.
        _ = try first.append([[try draft("y")]], at: Date(), within: OutboxConfiguration())
        let later = try second.append([[try draft("z")]], at: Date(), within: OutboxConfiguration())
        let last = try #require(later.batches.flatMap { (try? $0.get()) ?? [] }.first)
        guard case .item(_, let again) = try second.claim(entry, by: theirs.serial) else { throw CancellationError() }
        again.release()
        guard case .outdated = try second.claim(last, by: theirs.serial) else { throw CancellationError() }
        let now = try second.list()
        #expect(now.waiting.count == 3)
        guard case .outdated = try second.claim(entry, by: theirs.serial) else { throw CancellationError() }
        guard case .item(_, let other) = try second.claim(entry, by: now.serial) else { throw CancellationError() }
        try second.complete(entry, .remove)
        second.removeLockFile(other)
        other.release()
        guard case .gone = try first.claim(entry, by: mine.serial) else { throw CancellationError() }
        #expect(first.cachedState.items == 1)
    }

    @Test func `a lock whose file was deleted neither blocks nor releases a new lock`() throws {
        guard let folder = try SecureFolder.open(bench.folder.url.path, creating: false) else {
            throw CancellationError()
        }
        let old = try #require(try folder.tryRemovableLock("l"))
        try folder.removeWithoutSync("l")
        let new = try #require(try folder.tryRemovableLock("l"))
        var third = try folder.tryRemovableLock("l")
        #expect(third == nil)
        old.release()
        third = try folder.tryRemovableLock("l")
        #expect(third == nil)
        new.release()
    }

    private func accountPath() -> String {
        let name = SessionOwner.user("u-ada@example.com").folder(at: Fixtures.origin)
        return bench.folder.url.appending(path: name).path
    }

    private func folder() throws -> OutboxFolder {
        try #require(try OutboxFolder(bench.folder.url.appending(path: "f").path, creating: true, Locked(0)))
    }

    private func draft(_ body: String) throws -> OutboxFolder.Draft {
        let item = try OutboxItem(try bench.request(body), key: nil, dropping: [])
        return OutboxFolder.Draft(id: UUID(), lane: "main", bytes: try item.encoded())
    }
}
