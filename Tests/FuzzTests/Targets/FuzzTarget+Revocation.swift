// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetEngine
import FreshetWire

@testable import FreshetIdentity
@testable import FreshetJWT

extension FuzzTarget {
    // MARK: The cursor of the feed of ended sessions

    /// Compares a cursor with what a second reader finds, and with the cursor that is read in its own text.
    static func checkRevocationCursor(_ input: [UInt8]) throws -> Bool {
        let text = String(decoding: input, as: UTF8.self)
        let cursor = RevocationFeedCursor(text)
        try require(cursor == referenceCursor(text), cursor?.text ?? "refused")
        try checkWrittenCursor(input)
        guard let cursor else { return false }
        // Until the end of the year 9999, so that no sum with a lifetime overflows.
        let range = 0...253_402_300_800_000 as ClosedRange<Int64>
        let moments = [cursor.moment, cursor.place?.at].compactMap(\.self)
        try require(moments.allSatisfy { range.contains($0.milliseconds) }, "\(moments)")
        try require(RevocationFeedCursor(cursor.text) == cursor, "\(cursor.text) is another cursor")
        return true
    }

    private static func referenceCursor(_ text: String) -> RevocationFeedCursor? {
        let parts = Array(text.utf8).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        func moment(_ index: Int) -> Timestamp? {
            guard let value = Int64(parts[index]), value >= 0, value <= 253_402_300_800_000 else { return nil }
            return Timestamp(milliseconds: value)
        }
        guard [3, 5].contains(parts.count), parts[0].utf8.count == 8, let number = UInt64(parts[1]),
            let at = moment(2)
        else { return nil }
        var cursor = RevocationFeedCursor(epoch: parts[0], number: number, moment: at)
        guard parts.count == 5 else { return cursor }
        guard let at = moment(3), let session = SessionID(parts[4]) else { return nil }
        cursor.place = SessionEndPosition(at: at, session: session)
        return cursor
    }

    /// Writes a cursor of the input's bytes as the server does, and reads it.
    private static func checkWrittenCursor(_ input: [UInt8]) throws {
        guard input.count > 40, let session = SessionID(bytes: input[24..<40]) else { return }
        func number(_ start: Int) -> UInt64 { input[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) } }
        func moment(_ start: Int) -> Timestamp {
            Timestamp(milliseconds: Int64(number(start) % 253_402_300_800_001))
        }
        var cursor = RevocationFeedCursor(
            epoch: String(Base64URL.encode(input[0..<8]).prefix(8)),
            number: number(0),
            moment: moment(8)
        )
        try require(RevocationFeedCursor(cursor.text) == cursor, "\(cursor.text) is another cursor")
        cursor.place = SessionEndPosition(at: moment(16), session: session)
        try require(RevocationFeedCursor(cursor.text) == cursor, "\(cursor.text) is another cursor")
    }

    // MARK: Pages of the feed of ended sessions

    private static let server = URL(string: "https://a.example")
    private static let client = FreshetJWT.ClientCredentials(id: "a", secret: "b")
    private static let listTime = 1_800_000_000.0
    /// Few enough for an input to exceed them.
    private static let listLimits: RevocationList.Limits = {
        var limits = RevocationList.Limits()
        limits.capacity = 4
        return limits
    }()

    /// Reads a page, compares it with what Freshet's own parser reads, and polls a list with it, in one page and in two.
    static func checkRevocationPage(_ input: [UInt8]) throws -> Bool {
        guard let page = try page(input) else { return false }
        let written = try require(noThrow: { try JSONEncoder().encode(page) })
        try require(try self.page(Array(written)) == page, "the page is read as another one")
        try compareWithParser(page, input)
        try checkList([page], page)
        let middle = page.ended.count / 2
        let halves = [
            RevocationPage(ended: Array(page.ended[..<middle]), cursor: "middle", more: true),
            RevocationPage(ended: Array(page.ended[middle...]), cursor: page.cursor, more: page.more),
        ]
        try checkList(halves, page)
        return true
    }

    /// Reads a response as the verification library does.
    private static func page(_ body: [UInt8]) throws -> RevocationPage? {
        let page = SynchronousExecutor.Box<RevocationPage?>(nil)
        try SynchronousExecutor.run { [server, client] in
            let transport = RevocationList.transport(server: try require(server, "no URL"), client: client) { _ in
                IssuerResponse(status: 200, body: body)
            }
            page.value = try? await transport("cursor", 1)
        }
        return page.value
    }

    /// Compares a page with the same members by another parser; Foundation drops byte order marks and replaces halves of
    /// characters.
    private static func compareWithParser(_ page: RevocationPage, _ input: [UInt8]) throws {
        guard let text = String(utf8: input), !text.unicodeScalars.contains("\u{FEFF}"),
            let object = try? JSONParser.parse(input).object
        else { return }
        let ended = try require(object["ended"]?.array, "no array of ended sessions")
        try require(ended.count == page.ended.count, "\(page.ended.count) of \(ended.count) entries")
        for (entry, item) in zip(page.ended, ended) {
            try requireSameText(entry.sid, item.object?["sid"])
            try requireSameText(entry.reason, item.object?["reason"])
            let at = try require(item.object?["at"]?.double, "an end without a time")
            try require(abs(at - entry.at) <= abs(at) * 1e-12, "\(entry.at) is \(at)")
        }
        try requireSameText(page.cursor, object["cursor"])
        try require(object["more"]?.bool == page.more, "another end of the page")
    }

    private static func requireSameText(_ text: String, _ value: JSONValue?) throws {
        let other = try require(value?.string, "no text")
        try require(text.hasSameBytes(as: other) || text.unicodeScalars.contains("\u{FFFD}"), "\(text) is \(other)")
    }

    /// Polls a list with pages, and compares it with one that forgets nothing.
    private static func checkList(_ pages: [RevocationPage], _ whole: RevocationPage) throws {
        try SynchronousExecutor.run { [listLimits, listTime] in
            let cursors = [nil] + pages.map(\.cursor)
            let next = SynchronousExecutor.Box(0)
            let list = RevocationList(limits: listLimits, now: { listTime }) { after, wait in
                defer { next.value += 1 }
                try require(after == cursors[next.value] && wait == 0, "asks for \(after ?? "the start")")
                return pages[next.value]
            }
            for _ in pages { try await list.poll() }
            let sessions = Set(whole.ended.map(\.sid))
            let latest = whole.ended.map(\.at).max() ?? 0
            var known = 0
            for session in sessions where await list.hasEnded(session) { known += 1 }
            try require(known <= listLimits.capacity, "\(known) sessions")
            for entry in whole.ended {
                for time in [nil, entry.at, entry.at - 1] {
                    let isRefused = await list.refuses(entry.sid, issuedAt: time)
                    try require(isRefused, "a token of an ended session is accepted")
                }
            }
            guard !sessions.contains("active") else { return }
            let isAccepted = await !list.refuses("active", issuedAt: latest.nextUp)
            try require(isAccepted, "a token that was issued after all ends is refused")
            guard sessions.count <= listLimits.capacity / 2 else { return }
            let isKept = await !list.refuses("active", issuedAt: nil)
            try require(isKept && known == sessions.count, "a session was removed from a list that is not full")
            let status = await list.status
            try require((status == .current) == !whole.more, "\(status)")
        }
    }
}
