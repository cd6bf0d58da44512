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

/// Numbers that were read from names and files of an outbox, where anything may stand.
@Suite(.timeLimit(.minutes(5))) struct `Outbox numbers` {
    static let extremes = ["ffffffffffffffff", "fffffffffffffffe", "8000000000000000", "4000000000000001"]

    let place: Folder
    let now = Date(timeIntervalSince1970: 1_800_000_000)

    init() throws { place = try Folder() }

    private func folder() throws -> OutboxFolder {
        try #require(try OutboxFolder(place.url.appending(path: "f").path, creating: true, Locked(0)))
    }

    private func append(_ body: String, to folder: OutboxFolder) throws -> OutboxEntry {
        let appended = try folder.append([[try .posting(body)]], at: now, within: OutboxConfiguration())
        return try #require(appended.batches.first?.get().first)
    }

    private func put(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: place.url.appending(path: "f/\(name)"))
        try place.setMode(0o600, "f/\(name)")
    }

    @Test(arguments: extremes)
    func `an outbox that opens with an out-of-range last number on disk still appends in order`(number: String) throws {
        let first = try append("one", to: folder())
        try put(number, "number")
        let next = try folder()
        let second = try append("two", to: next)
        #expect(second.number > first.number && second.number < OutboxEntry.largestNumber)
        #expect(try next.list().waiting.map(\.id) == [first.id, second.id])
        #expect(try folder().isUpToDate() == false && next.isUpToDate())
    }

    @Test(arguments: extremes)
    func `an open outbox still appends in order after its last number on disk becomes out of range`(number: String)
        throws
    {
        let folder = try folder()
        let first = try append("one", to: folder)
        try put(number, "number")
        _ = try folder.listNew()
        let second = try append("two", to: folder)
        #expect(try folder.list().waiting == [first, second])
    }

    @Test(arguments: extremes)
    func `an item with an out-of-range number can be claimed, and later items follow it`(number: String) throws {
        let folder = try folder()
        let first = try append("one", to: folder)
        let stray = try OutboxFolder.Draft.posting("stray")
        let file = "\(number).\(stray.id.uuidString.lowercased()).main"
        try stray.bytes.write(to: place.url.appending(path: "f/waiting/\(file)"))
        try place.setMode(0o600, "f/waiting/\(file)")
        let news = try folder.listNew()
        #expect(news.waiting.map(\.id).contains(stray.id))
        let second = try append("two", to: folder)
        let listing = try folder.list()
        #expect(listing.waiting.map(\.id) == [first.id, stray.id, second.id])
        #expect(folder.cachedState.items == 3)
        guard case .item(let item, let lane) = try folder.claim(listing.waiting[1], by: listing.serial) else {
            throw CancellationError()
        }
        #expect(item.body == Data("stray".utf8))
        lane.release()
    }

    @Test(arguments: extremes)
    func `a dead letter with an out-of-range number does not block new items and can be retried`(number: String) throws
    {
        let folder = try folder()
        let stray = try OutboxFolder.Draft.posting("stray")
        let file = "\(number).\(stray.id.uuidString.lowercased()).main"
        try stray.bytes.write(to: place.url.appending(path: "f/dead/\(file)"))
        try place.setMode(0o600, "f/dead/\(file)")
        let first = try append("one", to: folder)
        let dead = try #require(try folder.deadLetter(stray.id))
        let revived = try folder.requeue(dead, keepsPlace: true, at: now)
        #expect(revived?.id == stray.id)
        #expect(try folder.list().waiting.map(\.id) == [first.id, stray.id])
    }

    @Test func `item numbers follow the last number, or the clock if it is later, and never wrap around`() {
        #expect(OutboxEntry.numbers(2, after: 7, at: .distantPast) == 8...9)
        #expect(OutboxEntry.numbers(1, after: 7, at: now) == 1_800_000_000_000_000...1_800_000_000_000_000)
        #expect(OutboxEntry.numbers(0, after: 7, at: .distantPast) == 8...8)
        #expect(OutboxEntry.numbers(1, after: .max, at: now) == nil)
        #expect(OutboxEntry.numbers(2, after: .max - 1, at: now) == nil)
        #expect(OutboxEntry.numbers(1, after: .max - 1, at: now) == .max ... .max)
        let beyond = Date(timeIntervalSince1970: .infinity)
        #expect(OutboxEntry.numbers(1, after: 0, at: beyond).map { $0.upperBound <= OutboxEntry.largestNumber } == true)
    }

    @Test func `sizes and times of files add up without overflow`() {
        #expect(Int.max.adding(clamped: 1) == .max)
        #expect(Int.min.adding(clamped: -1) == .min)
        #expect(5.adding(clamped: -7) == -2)
        #expect(1_800_000_000.subtracting(clamped: .min) == .max)
        #expect((-2).subtracting(clamped: .max) == .min)
        let entry = OutboxEntry(number: 1, id: UUID(), lane: "main", bytes: .max)
        #expect([entry, entry].totalBytes == .max)
    }

    @Test(arguments: ["1e300", "-5", "0", "1e-300"])
    func `an item's timeout is limited to between one second and seven days`(timeout: String) throws {
        let text =
            #"{"headers":{},"length":0,"method":"GET","timeout":\#(timeout),"url":"https://api.example.com/","version":1}"#
        let item = try #require(OutboxItem(decoding: Data((text + "\n").utf8)))
        let seconds = try #require(item.request?.timeoutInterval)
        #expect((1...(7 * 86_400)).contains(seconds))
    }
}
