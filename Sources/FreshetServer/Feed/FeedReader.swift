// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import NIOConcurrencyHelpers
import ServiceLifecycle

/// Answers followers of the feed: from memory as long as they keep up, else from the database.
struct FeedReader: Sendable {
    /// In one answer.
    static let pageSize = 1000
    /// The longest that a follower may wait for something to happen.
    static let longestWait = 30
    /// How often the database is looked at for what another server has ended.
    static let tick = Duration.milliseconds(500)
    /// Transactions of several servers commit in another order than their clocks say, by less than this.
    static let overlap = Duration.seconds(60)

    let feed: EndedFeed
    let ended: EndedSessions
    let database: any ServerDatabase
    let clock: @Sendable () -> Timestamp
    private let scannedAt = NIOLockedValueBox<ContinuousClock.Instant?>(nil)

    init(
        feed: EndedFeed,
        ended: EndedSessions,
        database: any ServerDatabase,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.feed = feed
        self.ended = ended
        self.database = database
        self.clock = clock
    }

    struct Page: Encodable {
        struct Item: Encodable {
            var sid: SessionID
            var reason: String
            var at: Double
        }

        var ended: [Item]
        var cursor: String
        var more: Bool

        init(_ entries: some Sequence<EndedFeed.Entry>, _ cursor: FeedCursor, more: Bool) {
            ended = entries.map { Item(sid: $0.session, reason: $0.reason, at: $0.at.seconds) }
            self.cursor = cursor.text
            self.more = more
        }
    }

    /// What came after a cursor; without one, everything that may still matter.
    func page(after cursor: FeedCursor?, wait: Int) async throws -> Page {
        try await look()
        guard let cursor, cursor.place == nil, cursor.epoch == feed.epoch,
            var entries = feed.entries(from: cursor.number, limit: Self.pageSize)
        else { return try await catchUp(cursor) }
        let deadline = ContinuousClock.now + .seconds(wait)
        while entries.isEmpty, ContinuousClock.now < deadline, !Task.isShuttingDownGracefully, !Task.isCancelled {
            do throws(EndedFeed.Full) { try await feed.wait(for: cursor.number, atMost: Self.tick) } catch {
                throw APIError(.unavailable, "too many follow the feed", retryAfter: .seconds(5))
            }
            try await look()
            guard let more = feed.entries(from: cursor.number, limit: Self.pageSize) else {
                return try await catchUp(cursor)
            }
            entries = more
        }
        let next = FeedCursor(epoch: feed.epoch, number: cursor.number + UInt64(entries.count), moment: clock())
        return Page(entries, next, more: entries.count == Self.pageSize)
    }

    /// Reads from the database, page by page; then goes on from what memory held when that began.
    private func catchUp(_ cursor: FeedCursor?) async throws -> Page {
        let now = clock()
        let earliest = now + (.zero - ended.memory)
        let isUnderWay = cursor?.place != nil && cursor?.epoch == feed.epoch
        let (number, moment) = isUnderWay ? (cursor?.number ?? 0, cursor?.moment ?? now) : (feed.next, now)
        let start: FeedCursor.Place
        if isUnderWay, let place = cursor?.place {
            start = place
        } else {
            let known = cursor.map { $0.moment + (.zero - Self.overlap) } ?? earliest
            start = FeedCursor.Place(at: max(known, earliest), session: .first)
        }
        let found = try await database.read { try SessionTable.endings(after: start, limit: Self.pageSize + 1, in: $0) }
        let entries = found.prefix(Self.pageSize)
        var next = FeedCursor(epoch: feed.epoch, number: number, moment: moment)
        let hasMore = found.count > entries.count
        if hasMore, let last = entries.last { next.place = FeedCursor.Place(at: last.at, session: last.session) }
        return Page(entries, next, more: hasMore)
    }

    /// Learns what another server on the same database has ended.
    private func look() async throws {
        let isDue = scannedAt.withLockedValue { scannedAt in
            let now = ContinuousClock.now
            if let last = scannedAt, now - last < Self.tick { return false }
            scannedAt = now
            return true
        }
        guard isDue else { return }
        let now = clock()
        var place: FeedCursor.Place? = FeedCursor.Place(at: now + (.zero - Self.overlap), session: .first)
        while let start = place {
            let found = try await database.read { try SessionTable.endings(after: start, limit: Self.pageSize, in: $0) }
            let new = found.filter { !ended.contains($0.session) }
            if !new.isEmpty {
                ended.insert(new.map(\.session), at: now)
                feed.append(new)
            }
            place = found.count < Self.pageSize ? nil : found.last.map { .init(at: $0.at, session: $0.session) }
        }
    }
}

extension SessionID {
    /// Before every other.
    fileprivate static let first = SessionID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
}
