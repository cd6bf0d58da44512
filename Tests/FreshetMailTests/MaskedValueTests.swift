// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import NIOConcurrencyHelpers
import Testing

@testable import FreshetDatabase
@testable import FreshetMail

@Suite struct `Secrets in server types` {
    private func mail(to email: EmailAddress) -> MailMessage {
        let end = Timestamp(milliseconds: 1000)
        return .code(.loginCode, "S3CR3T", attempt: "a", to: email, until: end, lifetime: .seconds(60))
    }

    @Test func `the description and the dump of a user, mail or session row contain no secret`() throws {
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

    @Test func `a failed expectation prints no secret of a user, mail or session row`() throws {
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
