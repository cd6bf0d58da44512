// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import HTTPTypes
import SMTPRelay
import ServerFixtures
import Testing

@testable import FreshetContractServer
@testable import FreshetDatabase
@testable import FreshetIdentity
@testable import FreshetMail
@testable import FreshetMetrics
@testable import FreshetServer

/// The answers to clients whose mail has no room.
@Suite(.timeLimit(.minutes(5)))
struct `A mail queue without room` {
    let server = ServerUnderTest()

    /// A server that sends mail to a relay.
    private func configuration(_ relay: SMTPRelay, _ change: (inout MailLimits) -> Void) throws -> ServerConfiguration {
        var configuration = server.behindProxy
        let smtp = try #require(SMTPServer(url: "smtp://127.0.0.1:\(relay.port)"))
        configuration.mail = MailConfiguration(.smtp(smtp), sender: "noreply@example.com")
        change(&configuration.mail.limits)
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/Client/FreshetKit/Contract/presets/bitbasel.json")
        configuration.contracts = [try ServedContract(text: try String(contentsOf: file, encoding: .utf8))]
        return configuration
    }

    private func requestCode(
        _ caller: TestHTTPClient,
        _ path: String,
        _ email: String,
        from source: String
    ) async throws -> TestHTTPClient.Answer {
        try await caller.post(path, CodeRequest(email: email), from: source)
    }

    @Test func `a full mail queue causes 503 for known and unknown addresses alike, without any flush or hash`()
        async throws
    {
        let relay = try await SMTPRelay { _ in .hang }
        let configuration = try configuration(relay) { limits in
            limits.capacity = 4
            limits.connections = 1
        }
        try await server.run(configuration) { caller in
            _ = try await caller.signUp("ann@example.com")
            for number in 1...4 {
                let answer = try await requestCode(
                    caller,
                    NativePath.loginCode,
                    "u@\(number).example",
                    from: "192.0.2.\(number)"
                )
                try #require(answer.status == 202)
            }
            let (flushes, hashes) = (
                caller.database.flushes, caller.hasher.hashes
            )
            for path in [NativePath.loginCode, NativePath.passwordReset, "/auth/code"] {
                for email in ["ann@example.com", "nobody@example.com"] {
                    let answer = try await requestCode(caller, path, email, from: "192.0.2.9")
                    #expect(answer.status == 503, "\(path) \(email)")
                    #expect(answer.headers[.retryAfter].flatMap(Int.init) ?? 0 > 0, "\(path) \(email)")
                }
            }
            let browser = try Browser(caller)
            for email in ["ann@example.com", "nobody@example.com"] {
                let page = try await browser.submit("/account/sign-in", ["email": email])
                #expect(page.status == 503)
                #expect(page.heading == "Please try again in a moment")
            }
            #expect(caller.database.flushes == flushes)
            #expect(caller.hasher.hashes == hashes)
            // The refusals used up no rate limit.
            #expect(try await caller.send(.get, "/readyz").status == 200)
            #expect(caller.log.messages.filter { $0 == "mail is turned away" }.count == 1)
            #expect(caller.parts.metrics.text.contains(#"freshet_mail_turned_away_total{cause="full"} 8"#))
        }
        try await relay.stop()
    }

    @Test func `a source whose share of the mail queue is in use gets 429, and other sources get 202`() async throws {
        let relay = try await SMTPRelay { _ in .hang }
        try await server.run(try configuration(relay) { $0.perSource = 2 }) { caller in
            for number in 1...2 {
                let answer = try await requestCode(
                    caller,
                    NativePath.loginCode,
                    "u@\(number).example",
                    from: "192.0.2.1"
                )
                try #require(answer.status == 202)
            }
            for path in [NativePath.loginCode, NativePath.passwordReset] {
                let answer = try await requestCode(caller, path, "ann@example.com", from: "192.0.2.1")
                #expect(answer.error == "429 too_many_requests")
                #expect(answer.headers[.retryAfter] == "60")
            }
            let other = try await requestCode(caller, NativePath.loginCode, "ann@example.com", from: "192.0.2.2")
            #expect(other.status == 202)
        }
        try await relay.stop()
    }

    @Test func `a source's share of the mail queue does not reveal which addresses have an account`() async throws {
        // Delivered or not, kept by the relay's delay or not: asking for a new password takes as much of the share.
        let relay = try await SMTPRelay { $0.hasSuffix("@slow.example") ? .refuse(451) : .accept }
        try await server.run(try configuration(relay) { $0.perSource = 3 }) { caller in
            _ = try await caller.signUp("ann@slow.example")
            for (source, email) in [("192.0.2.1", "ann@slow.example"), ("192.0.2.2", "nobody@slow.example")] {
                var statuses: [Int] = []
                for _ in 1...5 {
                    statuses.append(try await requestCode(caller, NativePath.passwordReset, email, from: source).status)
                }
                #expect(statuses == [202, 202, 202, 429, 429], "\(email)")
            }
        }
        try await relay.stop()
    }
}
