// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

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

    // MARK: The outbox's files

    /// Reads the input as an item, as a file's name, as a number and as a dead letter's record.
    static func checkOutbox(_ input: [UInt8]) throws -> Bool {
        let data = Data(input)
        let name = String(decoding: input, as: UTF8.self)
        var isAccepted = false
        if let entry = OutboxEntry(file: name, bytes: 1) {
            isAccepted = true
            try require(entry.file.isIdentical(to: name), "the item is looked for at \(entry.file)")
            _ = entry.isExpired(at: Date(timeIntervalSince1970: 0), maximumAge: .seconds(1))
            _ = OutboxEntry.numbers(3, after: entry.number, at: Date(timeIntervalSince1970: 2e9))
        }
        for unescaped in [FileName.unescaped(name), FileName.unescapedKeepingCase(name)].compactMap(\.self) {
            let files = [FileName.escaped(unescaped), FileName.escapedKeepingCase(unescaped)]
            try require(files.contains { $0.isIdentical(to: name) }, "\(name) is no file's name")
            for file in files { try require(!file.contains("/") && !file.hasPrefix("."), "\(file) is no safe name") }
        }
        let file = FileName.escaped(name)
        try require(FileName.unescaped(file)?.isIdentical(to: name) ?? false, "\(file) is another name")
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
