// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import ServerFixtures
import Testing

@testable import FreshetMail
@testable import FreshetServer

/// Our mail against a mail server that no one here wrote.
@Suite(
    .enabled(if: ProcessInfo.processInfo.environment["FRESHET_BACKENDS"] != nil, "make test-backends"),
    .timeLimit(.minutes(5)),
    .serialized
)
struct `Mail to a real server` {
    let server = ServerUnderTest()

    private func configuration(_ mail: MailServerUnderTest, _ change: (inout SMTPServer) -> Void = { _ in }) throws
        -> ServerConfiguration
    {
        var configuration = server.configuration
        var smtp = try #require(SMTPServer(url: "smtp://127.0.0.1:\(mail.port)"))
        change(&smtp)
        configuration.mail = MailConfiguration(.smtp(smtp), sender: "noreply@example.com")
        return configuration
    }

    private func folder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "freshet-mail-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    private func begin(_ caller: TestHTTPClient, _ email: String = "ann@example.com") async throws -> CodeAttempt {
        let answer = try await caller.post(NativePath.loginCode, CodeRequest(email: email))
        #expect(answer.status == 202)
        return try answer.json()
    }

    /// The first message about mail that comes to the log.
    private func outcome(_ log: AsyncStream<String>) async -> String? {
        await log.first { $0.hasPrefix("mail") || $0 == "the mail relay takes no mail" }
    }

    private func fault() -> String? { server.log.lines.last { $0["fault"] != nil }?["fault"] }

    @Test func `a code that is sent over TLS with SMTP authentication signs the user in`() async throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let (both, certificate) = try MailServerUnderTest.certificate(in: folder)
        for arguments in [["--certificate", both], ["--certificate", both, "--implicit"]] {
            let mail = try await MailServerUnderTest(arguments + ["--login", "post:pass word"])
            let configuration = try configuration(mail) { smtp in
                smtp.security = arguments.contains("--implicit") ? .implicit : .required
                smtp.authorities = certificate
                smtp.user = "post"
                smtp.password = "pass word"
            }
            try await server.run(configuration) { caller async throws in
                let attempt = try await begin(caller)
                let line = try #require(await mail.lines.first { $0.mail != nil })
                #expect(line.from == "noreply@example.com")
                #expect(line.to == ["ann@example.com"])
                #expect(line.tls == true)
                #expect(line.user == "post")
                let text = try #require(line.mail)
                #expect(text.contains("Subject: Your sign-in code\r\n"))
                #expect(text.contains("From: <noreply@example.com>\r\nTo: <ann@example.com>\r\n"))
                let code = try #require(text.firstMatch(of: /([0-9]{6}) is your code/)).1
                let verification = CodeVerification(attempt: attempt.attempt, code: String(code))
                #expect(try await caller.post(NativePath.loginCodeVerify, verification).status == 200)
            }
            await mail.end()
        }
        // Neither code nor password was written down.
        #expect(!server.log.lines.contains { $0["code"] != nil || $0.values.contains { $0.contains("pass word") } })
    }

    @Test func `a mail server without TLS gets no mail when TLS is required, and the client still gets 202`()
        async throws
    {
        let mail = try await MailServerUnderTest()
        let log = server.log.messagesFromNow()
        try await server.run(try configuration(mail) { $0.security = .required }) { caller async throws in
            _ = try await begin(caller)
            #expect(await outcome(log) == "the mail relay takes no mail")
        }
        await mail.end()
        #expect(await mail.lines.first { _ in true } == nil)
        #expect(server.log.lines.contains { $0["to"] == "a•••@example.com" })
    }

    @Test func `a mail server with an untrusted certificate gets no mail`() async throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let (both, _) = try MailServerUnderTest.certificate(in: folder)
        let mail = try await MailServerUnderTest(["--certificate", both])
        let log = server.log.messagesFromNow()
        try await server.run(try configuration(mail) { $0.security = .required }) { caller async throws in
            _ = try await begin(caller)
            #expect(await outcome(log) == "the mail relay takes no mail")
        }
        await mail.end()
        #expect(await mail.lines.first { _ in true } == nil)
    }

    @Test func `a wrong SMTP password is reported as a relay failure, and the password is not logged`() async throws {
        let mail = try await MailServerUnderTest(["--login", "post:right"])
        let log = server.log.messagesFromNow()
        let configuration = try configuration(mail) { smtp in
            smtp.user = "post"
            smtp.password = "wr0ng"
        }
        try await server.run(configuration) { caller async throws in
            _ = try await begin(caller)
            #expect(await outcome(log) == "the mail relay takes no mail")
        }
        await mail.end()
        #expect(await mail.lines.first { $0.login != nil }?.login == false)
        #expect(fault()?.hasPrefix("reply 535") == true)
        #expect(!server.log.lines.contains { $0.values.contains { $0.contains("wr0ng") } })
    }

    @Test func `mail is retried after a 4xx reply, and not after a 5xx reply`() async throws {
        let mail = try await MailServerUnderTest(["--replies", "451 later|250|550 <ann@example.com> nobody"])
        let log = server.log.messagesFromNow()
        try await server.run(try configuration(mail)) { caller async throws in
            var mails = log.filter { $0.hasPrefix("mail") }.makeAsyncIterator()
            _ = try await begin(caller)
            #expect(await mails.next() == "mail delayed")
            #expect(await mails.next() == "mail sent")
            _ = try await begin(caller)
            #expect(await mails.next() == "mail failed")
            #expect(fault() == "reply 550 ••• nobody")
        }
        await mail.end()
    }

    @Test func `a mail server that hangs delays no client, and is abandoned at the timeout`() async throws {
        let mail = try await MailServerUnderTest(["--hang"])
        let log = server.log.messagesFromNow()
        let configuration = try configuration(mail) { $0.totalTimeout = .milliseconds(700) }
        try await server.run(configuration) { caller async throws in
            // Three answers while the first mail still hangs, or they would come with its end.
            for name in ["ann", "bob", "eve"] { _ = try await begin(caller, "\(name)@example.com") }
            #expect(!server.log.messages.contains("mail delayed"))
            #expect(await outcome(log) == "mail delayed")
        }
        await mail.end()
    }
}
