// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import SessionFixtures
import Testing

@testable import FreshetKit
@testable import FreshetOutbox

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite struct `Outbox item` {
    private func request() throws -> URLRequest {
        var request = URLRequest(url: try Fixtures.url("https://api.example.com/notes?x=1"))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data("line\none\0".utf8)
        return request
    }

    private func item(_ request: URLRequest) throws -> OutboxItem {
        try OutboxItem(request, key: ("Idempotency-Key", "k1"), dropping: ["X-Token"])
    }

    @Test func `a stored request is read back unchanged, with its idempotency key`() throws {
        var original = try request()
        original.timeoutInterval = 300
        let read = try #require(OutboxItem(decoding: try item(original).encoded())?.request)
        #expect(read.url == original.url && read.httpMethod == "POST" && read.httpBody == original.httpBody)
        #expect(read.timeoutInterval == 300)
        #expect(
            read.allHTTPHeaderFields == ["Content-Type": "application/json", "Idempotency-Key": "k1"]
        )
    }

    @Test func `an outbox item stores no header with a credential`() throws {
        var original = try request()
        for name in ["authorization", "X-TOKEN", "Cookie", "Proxy-Authorization"] {
            original.setValue("s3cret", forHTTPHeaderField: name)
        }
        let bytes = try item(original).encoded()
        #expect(!String(decoding: bytes, as: UTF8.self).contains("s3cret"))
    }

    @Test func `an idempotency key that the app has set is kept`() throws {
        var original = try request()
        original.setValue("mine", forHTTPHeaderField: "idempotency-key")
        let read = try #require(OutboxItem(decoding: try item(original).encoded())?.request)
        #expect(read.value(forHTTPHeaderField: "Idempotency-Key") == "mine")
    }

    @Test func `a request with a body stream, a relative URL or a scheme other than HTTP is refused`() throws {
        var stream = try request()
        stream.httpBodyStream = InputStream(data: Data())
        #expect(throws: OutboxError.self) { try item(stream) }
        for text in ["/notes", "file:///etc/passwd", "ftp://example.com/x"] {
            let request = URLRequest(url: try Fixtures.url(text))
            #expect(throws: OutboxError.self, "\(text)") { try item(request) }
        }
    }

    /// No transport sends it, and all items of its lane would wait behind it.
    @Test(arguments: [("X-Name", "one\ntwo"), ("X-Name", "\u{7F}"), ("X Name", "one"), ("", "one")])
    func `an invalid header field is refused in new and stored items, and an invalid method in new items`(
        name: String,
        value: String
    ) throws {
        var original = try request()
        original.setValue("plain", forHTTPHeaderField: "X-Plain")
        let bytes = String(decoding: try item(original).encoded(), as: UTF8.self)
        #expect(OutboxItem(decoding: Data(bytes.utf8)) != nil)
        let field = String(decoding: try JSONEncoder().encode([name: value]), as: UTF8.self).dropFirst().dropLast()
        let earlier = bytes.replacing(#""X-Plain":"plain""#, with: field)
        #expect(earlier != bytes && OutboxItem(decoding: Data(earlier.utf8)) == nil)
        original.setValue(value, forHTTPHeaderField: name)
        // Foundation itself may leave the field out.
        if original.allHTTPHeaderFields?[name] == value { #expect(throws: OutboxError.self) { try item(original) } }
        var method = try request()
        method.httpMethod = "POST /"
        #expect(throws: OutboxError.self) { try item(method) }
    }

    @Test func `a truncated or extended file, or one of a newer version, is not decoded as an item`() throws {
        let bytes = try item(try request()).encoded()
        for length in 0..<bytes.count { #expect(OutboxItem(decoding: bytes.prefix(length)) == nil) }
        #expect(OutboxItem(decoding: bytes + Data([0])) == nil)
        let later = String(decoding: bytes, as: UTF8.self).replacing(#""version":1"#, with: #""version":2"#)
        #expect(OutboxItem(decoding: Data(later.utf8)) == nil)
    }

    @Test func `an item's description, debug description and dump do not contain its URL`() throws {
        let item = try item(try request())
        var dumped = ""
        dump(item, to: &dumped)
        for text in ["\(item)", String(reflecting: item), dumped] { #expect(!text.contains("notes")) }
    }

    @Test(arguments: ["notes", "", "a/b", "with.dots", "naïve", ".lock"])
    func `an item's file name encodes its number, ID and lane`(lane: String) throws {
        let entry = OutboxEntry(number: 0x6_4f2f_3a1b_2c3d, id: UUID(), lane: lane, bytes: 5)
        #expect(OutboxEntry(file: entry.file, bytes: 5) == entry)
        #expect(entry.file.hasPrefix("00064f2f3a1b2c3d."))
    }

    @Test func `the file name for the longest lane name has at most 255 bytes`() {
        let lane = String(repeating: "/", count: OutboxEntry.maximumLaneNameLength)
        let entry = OutboxEntry(number: .max, id: UUID(), lane: lane, bytes: 0)
        #expect(OutboxFolder.reasonFile(entry).utf8.count <= 255)
    }

    @Test(arguments: [".new", "notes", "+0000000000000001.x.y", "0000000000000001.notes", "why.x.y"])
    func `an unexpected file name is not decoded as an item`(name: String) {
        #expect(OutboxEntry(file: name, bytes: 0) == nil)
    }

    @Test func `a server's message is shortened, and tokens in it are masked`() {
        let token = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ1MSJ9.c2lnbmF0dXJl"
        #expect(Redaction.short("Token \(token) is\nbad.") == "Token ••• is bad.")
        #expect(Redaction.short("title must not be empty") == "title must not be empty")
        #expect(Redaction.short(String(repeating: "word ", count: 1_000)).count == 200)
        #expect(Redaction.short(String(repeating: "x", count: 10_000)) == "•••")
    }

    @Test func `an item's age follows from its number, and an item from the future is not expired`() {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        func isExpired(_ age: Double, _ limit: Duration?) -> Bool {
            let number = UInt64((now.timeIntervalSince1970 - age) * 1e6)
            let entry = OutboxEntry(number: number, id: UUID(), lane: "", bytes: 0)
            return entry.isExpired(at: now, maximumAge: limit)
        }
        #expect(isExpired(61, .seconds(60)) && !isExpired(59, .seconds(60)))
        #expect(!isExpired(1e9, nil) && !isExpired(-1e6, .seconds(60)))
    }
}
