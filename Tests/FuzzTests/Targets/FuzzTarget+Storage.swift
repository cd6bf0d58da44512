// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetWire

@testable import FreshetKit
@testable import FreshetOutbox

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension FuzzTarget {
    // MARK: The client's stored session

    /// Reads a record, and again what is written of it and of the records that follow it.
    static func checkSessionRecord(_ input: [UInt8]) throws -> Bool {
        guard let record = try? SessionRecord(decoding: Data(input)) else { return false }
        try checkRoundTrip(record)
        try checkRoundTrip(record.imported())
        try checkRoundTrip(record.chosen(at: 1.5))
        let ended = record.ending(.requested, keeping: .bothTokens)
        try require(ended.session == nil && ended.origin == record.origin, "a session remains")
        try require(
            ended.pendingLogouts.count <= max(record.pendingLogouts.count, SessionRecord.maximumPendingLogouts),
            "too many pending logouts"
        )
        try checkRoundTrip(ended)
        if let session = record.session {
            let next = record.signingIn(session, origin: record.origin, keeping: .bothTokens)
            try require(
                !next.pendingLogouts.contains { $0.origin == next.origin && $0.wouldEnd(session) },
                "a logout of the session in use"
            )
            try require(session.isSameSession(as: session), "a session is not itself")
            try require(session.nextGeneration >= session.generation, "the generation decreases")
            try checkRoundTrip(next)
        }
        for logout in record.pendingLogouts {
            try require(record.delivered(logout)?.pendingLogouts.contains(logout) != true, "a delivered logout remains")
        }
        return true
    }

    private static func checkRoundTrip(_ record: SessionRecord) throws {
        let bytes = try require(noThrow: { try record.encoded() })
        let again = try require(noThrow: { try SessionRecord(decoding: bytes) })
        try require(again == record, "the record is read as another one")
        try require(try require(noThrow: { try again.encoded() }) == bytes, "the record is written as other bytes")
    }

    // MARK: The tokens of older versions of the app

    /// Items of an older version, by key.
    private struct StoredTexts: LegacyTokenSource {
        var texts: [String: String]

        func text(of item: LegacyItem) -> String? { texts[item.key] }
        func remove(_ item: LegacyItem) {}
    }

    /// Tokens in items of their own, in one item's JSON, and in an item that another one names.
    private static let imports: [StorageDefinition.Import] = {
        func place(_ name: String, _ pointer: String? = nil) -> StorageDefinition.Place {
            .init(item: .named(name), pointer: pointer.flatMap { JSONPointer($0) })
        }
        var own = StorageDefinition.Import(access: place("access"))
        (own.refresh, own.expiresAt, own.expiryUnit) = (place("refresh"), place("expiry"), .seconds)
        var member = StorageDefinition.Import(access: place("session", "/tokens/access"))
        (member.refresh, member.expiresAt) = (place("session", "/tokens/refresh"), place("session", "/expires"))
        member.expiryUnit = .milliseconds
        let name = place("current", "/id")
        var named = StorageDefinition.Import(access: .init(item: .namedBy(name)))
        (named.refresh, named.expiresAt) = (place("refresh"), place("expiry"))
        return [own, member, named]
    }()

    /// Imports tokens from the items `access`, `refresh`, `expiry`, `session` and `current`, whose texts zero bytes separate.
    static func checkLegacyTokens(_ input: [UInt8]) throws -> Bool {
        let parts = input.split(separator: 0, omittingEmptySubsequences: false)
        let keys = ["access", "refresh", "expiry", "session", "current"]
        var items = StoredTexts(texts: [:])
        for (key, part) in zip(keys, parts) where part != [UInt8(ascii: "-")] {
            items.texts[key] = String(decoding: part, as: UTF8.self)
        }
        var isImported = false
        var results: [LegacyTokens.SearchResult] = []
        for places in imports {
            let result = try require(noThrow: { try LegacyTokens.find([places], in: items) })
            results.append(result)
            guard case .tokens(let tokens) = result else { continue }
            try require(!tokens.accessToken.isEmpty && tokens.refreshToken?.isEmpty != true, "an empty token")
            try require(tokens.lacksRefreshToken == (tokens.refreshToken == nil), "a refresh token is missing")
            try require(Set(tokens.items).count == tokens.items.count, "an item is removed twice")
            try require(tokens.items.allSatisfy { items.texts[$0.key] != nil }, "an item that does not exist")
            try require(tokens.expiry?.timeIntervalSince1970.isFinite ?? true, "an expiry that is no time")
            if try checkImport(of: tokens) { isImported = true }
        }
        try checkLegacyPlaces(results, items.texts)
        let first = results.first { if case .tokens = $0 { true } else { false } }
        let all = try require(noThrow: { try LegacyTokens.find(imports, in: items) })
        if let first { try require(all == first, "not the first import that has a token") }
        try require(first != nil || (all == .noItems) == results.allSatisfy { $0 == .noItems }, "\(all)")
        return isImported
    }

    /// Compares the tokens with the texts of their items, and with what Foundation reads in an item's JSON.
    private static func checkLegacyPlaces(_ results: [LegacyTokens.SearchResult], _ texts: [String: String]) throws {
        if case .tokens(let tokens) = results[0] {
            try require(texts["access"]?.hasSameBytes(as: tokens.accessToken) ?? false, "another access token")
            try require(
                tokens.refreshToken.map { texts["refresh"]?.hasSameBytes(as: $0) ?? false } ?? true,
                "another refresh token"
            )
        } else {
            try require(texts["access"]?.isEmpty ?? true, "the access token is not found")
        }
        if case .tokens(let tokens) = results[2] {
            // An import that ends between two removals finds the item that names the other one.
            let current = try require(tokens.items.firstIndex { $0.key == "current" }, "no item names the token's")
            let other = tokens.items.firstIndex { texts[$0.key]?.hasSameBytes(as: tokens.accessToken) ?? false }
            try require(try require(other, "the token is in no item") <= current, "the name is removed first")
        }
        guard let session = texts["session"], !session.unicodeScalars.contains("\u{FEFF}"),
            let object = try? JSONSerialization.jsonObject(with: Data(session.utf8)) as? [String: Any],
            let pair = object["tokens"] as? [String: Any], let access = pair["access"] as? String
        else { return }
        guard case .tokens(let tokens) = results[1] else {
            let isRead = (try? JSONParser.parse(session.utf8)) != nil
            return try require(access.isEmpty || !isRead, "the access token in JSON is not found")
        }
        try require(tokens.accessToken.hasSameBytes(as: access), "Foundation reads another access token")
        if let refresh = pair["refresh"] as? String, !refresh.isEmpty {
            try require(
                tokens.refreshToken?.hasSameBytes(as: refresh) ?? false,
                "Foundation reads another refresh token"
            )
        }
    }

    /// Stores tokens by a contract that accepts any, as an import does.
    private static func checkImport(of tokens: LegacyTokens) throws -> Bool {
        let now = ClockSnapshot(now: .zero, wall: Date(timeIntervalSince1970: 1_800_000_000), boot: nil)
        guard let grant = try? Contract.oauth2.grant(from: tokens, at: now.wall) else { return false }
        for token in [grant.accessToken, grant.refreshToken].compactMap(\.self) {
            try require(!token.isEmpty && token.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "no token for a header")
        }
        try require(grant.accessToken.hasSameBytes(as: tokens.accessToken), "another access token is stored")
        try require((0...10 * 366 * 86_400).contains(grant.lifetime.inSeconds), "a lifetime of \(grant.lifetime)")
        let origin = "https://a.example"
        let record = SessionRecord(origin: origin)
            .signingIn(StoredSession(grant, askedAt: now), origin: origin, keeping: .none)
            .imported(lackingRefreshToken: tokens.lacksRefreshToken)
        try checkRoundTrip(record)
        return true
    }

    // MARK: The outbox's files

    /// Reads the input as an item, as a file's name, as a number and as a dead letter's record.
    static func checkOutbox(_ input: [UInt8]) throws -> Bool {
        let data = Data(input)
        let name = String(decoding: input, as: UTF8.self)
        var isAccepted = false
        if let entry = OutboxEntry(file: name, bytes: 1) {
            isAccepted = true
            try require(entry.file.hasSameBytes(as: name), "the item is looked for at \(entry.file)")
            _ = entry.isExpired(at: Date(timeIntervalSince1970: 0), maximumAge: .seconds(1))
            _ = OutboxEntry.numbers(3, after: entry.number, at: Date(timeIntervalSince1970: 2e9))
        }
        for unescaped in [FileName.unescaped(name), FileName.unescapedKeepingCase(name)].compactMap(\.self) {
            let files = [FileName.escaped(unescaped), FileName.escapedKeepingCase(unescaped)]
            try require(files.contains { $0.hasSameBytes(as: name) }, "\(name) is no file's name")
            for file in files { try require(!file.contains("/") && !file.hasPrefix("."), "\(file) is no safe name") }
        }
        let file = FileName.escaped(name)
        try require(FileName.unescaped(file)?.hasSameBytes(as: name) ?? false, "\(file) is another name")
        if let record = try? JSONDecoder().decode(OutboxDeadLetterRecord.self, from: data) {
            isAccepted = true
            let again = try require(noThrow: { try JSONEncoder().encode(record) })
            let other = try? JSONDecoder().decode(OutboxDeadLetterRecord.self, from: again)
            try require(other == record, "another record")
        }
        guard let item = OutboxItem(decoding: data) else { return isAccepted }
        try require(!OutboxItem.isOfNewerVersion(data), "an item of this version and of a newer one")
        let bytes = try require(noThrow: { try item.encoded() })
        let again = try require(OutboxItem(decoding: bytes), "the item cannot be read again")
        try require(again == item, "the item is read as another one")
        if let request = item.request {
            let timeout = request.timeoutInterval
            try require((1...7 * 86_400).contains(timeout), "a timeout of \(timeout)")
            try require((request.httpBody ?? Data()) == item.body, "another body")
        }
        return true
    }
}
