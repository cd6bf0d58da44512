// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetDatabase
import FreshetEngine
import FreshetWire
import ServiceLifecycle

/// Serves followers of the feed from memory, or from the database if they are too far behind.
package struct RevocationFeedReader: Sendable {
    /// The maximum number of entries per response.
    static let pageSize = 1000
    /// The longest time, in seconds, that a follower may wait for an entry.
    package static let maximumWait = 30
    /// The interval at which a waiting follower checks whether the database must be polled.
    static let waitInterval = Duration.milliseconds(500)

    let feed: RevocationFeed
    let revocations: RevocationPoller
    private var sessions: SessionRegistry { revocations.sessions }

    package init(feed: RevocationFeed, revocations: RevocationPoller) {
        self.feed = feed
        self.revocations = revocations
    }

    package struct Page: Encodable {
        struct Item: Encodable {
            var sid: SessionID
            var reason: String
            var at: Double
        }

        var ended: [Item]
        var cursor: String
        var more: Bool

        init(_ entries: some Sequence<RevocationFeed.Entry>, _ cursor: RevocationFeedCursor, more: Bool) {
            ended = entries.map { Item(sid: $0.session, reason: $0.reason, at: $0.at.seconds) }
            self.cursor = cursor.text
            self.more = more
        }
    }

    /// Returns the entries after a cursor; without one, all that may still be relevant.
    package func page(after cursor: RevocationFeedCursor?, wait: Int) async throws -> Page {
        try await revocations.scanIfDue()
        guard let cursor, cursor.place == nil, cursor.epoch == feed.epoch,
            var entries = feed.entries(from: cursor.number, limit: Self.pageSize)
        else { return try await catchUp(cursor) }
        let deadline = ContinuousClock.now + .seconds(wait)
        while entries.isEmpty, ContinuousClock.now < deadline, !Task.isShuttingDownGracefully, !Task.isCancelled {
            do throws(RevocationFeed.TooManyWaiters) {
                try await feed.wait(for: cursor.number, atMost: Self.waitInterval)
            } catch {
                throw APIError(.unavailable, "too many clients follow the feed", retryAfter: .seconds(5))
            }
            try await revocations.scanIfDue()
            guard let more = feed.entries(from: cursor.number, limit: Self.pageSize) else {
                return try await catchUp(cursor)
            }
            entries = more
        }
        let next = RevocationFeedCursor(
            epoch: feed.epoch,
            number: cursor.number + UInt64(entries.count),
            moment: sessions.clock()
        )
        return Page(entries, next, more: entries.count == Self.pageSize)
    }

    /// Reads page by page from the database; the last page's cursor continues in memory.
    private func catchUp(_ cursor: RevocationFeedCursor?) async throws -> Page {
        let now = sessions.clock()
        // For a cursor of another server, the whole window is read again: clocks differ, and commits take time to
        // become visible.
        let earliest = now + (.zero - revocations.window)
        let isUnderWay = cursor?.place != nil && cursor?.epoch == feed.epoch
        let (number, moment) = isUnderWay ? (cursor?.number ?? 0, cursor?.moment ?? now) : (feed.next, now)
        let start: SessionEndPosition
        if isUnderWay, let place = cursor?.place {
            start = place
        } else {
            start = .before(earliest)
        }
        let rows = try await sessions.database.read {
            try SessionTable.endings(after: start, limit: Self.pageSize + 1, in: $0)
        }
        // Publishes the ended sessions that are new to this server, but not those that were evicted early.
        let since = sessions.ended.acceptsTokensSince
        sessions.publishEnds(found: rows.filter { $0.at >= since })
        var found = rows.map { RevocationFeed.Entry(session: $0.id, reason: $0.reason.rawValue, at: $0.at) }
        let last = found.count > Self.pageSize ? found[Self.pageSize - 1].position : nil
        found = Array(found.prefix(Self.pageSize))
        found += lostEnds(after: start, upTo: last, among: found)
        if let last {
            let next = RevocationFeedCursor(epoch: feed.epoch, number: number, moment: moment, place: last)
            return Page(found, next, more: true)
        }
        // Entries appended in the meantime may repeat some of these entries or be new: each one is delivered at least
        // once.
        let told = Set(found.map(\.session))
        let meanwhile = feed.entries(from: number, limit: .max) ?? []
        let next = RevocationFeedCursor(epoch: feed.epoch, number: number + UInt64(meanwhile.count), moment: moment)
        return Page(found + meanwhile.filter { !told.contains($0.session) }, next, more: false)
    }

    /// Returns the ends of a page that this server knows and the database has lost.
    ///
    /// A promoted standby may lack commits. A holder of the access tokens of such a session can use them until they
    /// expire, because only a refresh stores the end again.
    private func lostEnds(
        after start: SessionEndPosition,
        upTo last: SessionEndPosition?,
        among stored: [RevocationFeed.Entry]
    ) -> [RevocationFeed.Entry] {
        let stored = Set(stored.map(\.session))
        return feed.recent.filter { entry in
            guard !stored.contains(entry.session), start < entry.position else { return false }
            guard let last else { return true }
            return entry.position <= last
        }
    }
}
