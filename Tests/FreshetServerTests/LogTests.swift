// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import Logging
import NIOConcurrencyHelpers
import Testing

@testable import FreshetServer

@Suite struct `The JSON log` {
    @Test func `hostile text stays inside its field`() throws {
        let pipe = Pipe()
        var log = Logger(label: "l\"") {
            JSONLogHandler(label: $0, file: pipe.fileHandleForWriting)
        }
        log[metadataKey: "session"] = "s"
        let hostile = "a\"}\n{\"level\":\"info\u{1}\u{2028}\u{7F}ä\\"
        log.notice("\(hostile)", metadata: ["email": "\(hostile)", "array": ["x"]])
        log.debug("not at this level")
        try pipe.fileHandleForWriting.close()

        let text = String(decoding: try #require(try pipe.fileHandleForReading.readToEnd()), as: UTF8.self)
        #expect(text.split(separator: "\n").count == 1)
        let record = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: String])
        #expect(record["message"] == hostile)
        #expect(record["email"] == hostile)
        #expect(record["session"] == "s")
        #expect(record["level"] == "notice")
        #expect(record["logger"] == "l\"")
        #expect(record["time"]?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
    }

    @Test func `integers are numbers, everything else is text`() throws {
        let pipe = Pipe()
        let log = Logger(label: "l") { JSONLogHandler(label: $0, file: pipe.fileHandleForWriting) }
        log.notice("m", metadata: ["a": .stringConvertible(UInt64.max), "b": "7", "c": .stringConvertible(1.5)])
        try pipe.fileHandleForWriting.close()
        let text = String(decoding: try #require(try pipe.fileHandleForReading.readToEnd()), as: UTF8.self)
        #expect(text.hasSuffix(#","a":18446744073709551615,"b":"7","c":"1.5"}"# + "\n"))
    }
}

@Suite struct `What holds a secret on the server` {
    private func mail(to email: EmailAddress) -> MailMessage {
        let end = Timestamp(milliseconds: 1000)
        return .code(.loginCode, "S3CR3T", attempt: "a", to: email, until: end, lifetime: .seconds(60))
    }

    @Test func `prints a mask`() throws {
        let email = try #require(EmailAddress("ann@example.com"))
        let row = SessionRow.start(
            user: UUID(),
            mode: .intent,
            device: Device(),
            lifetimes: Lifetimes(),
            keyID: 1,
            now: Timestamp(milliseconds: 0)
        )
        let holders: [(Any, String)] = [
            (mail(to: email), "S3CR3T"),
            (User(id: UUID(), email: email, password: "S3CR3T"), "S3CR3T"),
            (row, "\(row.salt)"),
        ]
        for (holder, secret) in holders {
            var dumped = ""
            dump(holder, to: &dumped)
            for text in ["\(holder)", String(reflecting: holder), dumped, "\([holder])"] {
                #expect(!text.contains(secret))
            }
        }
    }

    @Test func `prints a mask when an expectation fails`() throws {
        let email = try #require(EmailAddress("ann@example.com"))
        let user = User(id: UUID(), email: email, password: "S3CR3T")
        let mail = mail(to: email)
        let start = Timestamp(milliseconds: 0)
        let row = SessionRow.start(
            user: user.id,
            mode: .intent,
            device: Device(),
            lifetimes: Lifetimes(),
            keyID: 1,
            now: start
        )
        let seen = NIOLockedValueBox("")
        withKnownIssue {
            #expect(user == User(id: user.id, email: email))
            #expect([mail].isEmpty)
            #expect(row.endReason(at: start) != nil)
            #expect([row].isEmpty)
        } matching: { issue in
            var dumped = ""
            dump(issue, to: &dumped)
            let text = "\(issue) \(String(reflecting: issue)) \(dumped)"
            seen.withLockedValue { $0 += text }
            return true
        }
        let text = seen.withLockedValue { $0 }
        for type in ["User", "MailMessage", "SessionRow"] { #expect(text.contains("\(type)(")) }
        for secret in ["S3CR3T", "\(row.salt)"] { #expect(!text.contains(secret)) }
    }
}
