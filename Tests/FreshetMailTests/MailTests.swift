// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import NIOConcurrencyHelpers
import ServerFixtures
import Testing

@testable import FreshetMail
@testable import FreshetSystem

@Suite(.timeLimit(.minutes(5)))
struct `Mail` {
    private static let now = Timestamp(milliseconds: 1_800_000_000_000)
    private let log = CapturedLog()

    private func code(to address: String = "ann@example.com") throws -> MailMessage {
        let email = try #require(EmailAddress(address))
        let end = Self.now + .seconds(600)
        return .code(.loginCode, "123456", attempt: "a", to: email, until: end, lifetime: .seconds(600))
    }

    private func format() throws -> MailFormat {
        MailFormat(sender: try #require(MailAddress("noreply@example.com")))
    }

    private func queue(
        _ carrier: MailBackend,
        limits: MailLimits = MailLimits(),
        uptime: @escaping @Sendable () -> Duration = ClockSource.system.monotonic
    ) throws -> MailQueue {
        MailQueue(
            carrier,
            format: try format(),
            limits: limits,
            log: log.logger,
            clock: { Self.now },
            uptime: uptime
        )
    }

    @Test func `mail is written in the format of RFC 5322, and its description masks the code`() throws {
        let mail = try #require(try format().write(try code(), at: Self.now))
        let text = String(decoding: mail.bytes, as: UTF8.self)
        #expect(
            text.hasPrefix("Date: Fri, 15 Jan 2027 08:00:00 +0000\r\nFrom: <noreply@example.com>\r\nTo: <ann@example")
        )
        #expect(text.contains("\r\n\r\n123456 is your code to sign in. It expires in 10 minutes.\r\n"))
        #expect(text.split(separator: "\r\n", omittingEmptySubsequences: false).allSatisfy { !$0.contains("\n") })
        #expect(!"\(mail)".contains("123456"))
    }

    @Test(arguments: [
        "a>b@example.com", "<a@example.com", "a,b@example.com", "a;b@example.com", "\"a\"@example.com",
        "-f@example.com",
        "a@example.com>", "a@b,c", "a@[127.0.0.1]", "a..b@example.com", "a@b\u{202E}c", "a@b\u{FE0F}",
    ])
    func `an ambiguous or unsafe address is rejected, and no mail is written to it`(address: String) throws {
        #expect(MailAddress(address) == nil)
        guard EmailAddress(address) != nil else { return }
        #expect(try format().write(try code(to: address), at: Self.now) == nil)
    }

    @Test func `a device name with line breaks stays on one line of the mail`() throws {
        let email = try #require(EmailAddress("ann@example.com"))
        let device = Device(name: "x\r\n.\r\nBcc: b@c\u{2028}http://evil.example", app: "Ünder")
        let mail = MailMessage.newDevice(device, place: "192.0.2.1", to: email, at: Self.now)
        #expect(mail.text.contains("\nDevice: x.Bcc: bchttp:evil.example\nApp: Ünder\nFrom: 192.0.2.1\n"))
        let written = try #require(try format().write(mail, at: Self.now))
        let text = String(decoding: written.bytes, as: UTF8.self)
        #expect(text.contains("Content-Transfer-Encoding: base64\r\n"))
        let body = try #require(text.components(separatedBy: "\r\n\r\n").last)
        let decoded = try #require(Data(base64Encoded: body, options: .ignoreUnknownCharacters))
        #expect(String(decoding: decoded, as: UTF8.self).contains("App: Ünder\r\n"))
    }

    @Test func `mail is retried after a transient fault, and not after a permanent one`() async throws {
        // A clock on which every pause is over as soon as it is looked at.
        let readings = NIOLockedValueBox(0)
        let tries = NIOLockedValueBox(0)
        let queue = try queue(
            MailBackend { _ throws(MailBackend.Fault) in
                let count = tries.withLockedValue { tries in
                    tries += 1
                    return tries
                }
                throw MailBackend.Fault(isTransient: count < 3, reason: "busy")
            },
            uptime: {
                readings.withLockedValue { readings in
                    readings += 1
                    return .seconds(readings * 4)
                }
            }
        )
        let messages = log.messagesFromNow()
        queue.send(try code(), from: nil)
        #expect(await messages.first { $0 == "mail failed" } != nil)
        #expect(tries.withLockedValue { $0 } == 3)
        #expect(log.messages == ["mail delayed", "mail delayed", "mail failed"])
        await queue.close()
    }

    @Test func `expired mail is not sent, and waiting mail is sent before the queue closes`() async throws {
        let sent = NIOLockedValueBox<[String]>([])
        let queue = try queue(MailBackend { mail in sent.withLockedValue { $0.append(mail.recipient) } })
        var stale = try code(to: "late@example.com")
        stale = MailMessage(
            recipient: stale.recipient,
            kind: stale.kind,
            subject: stale.subject,
            text: stale.text,
            expiresAt: Self.now
        )
        queue.send(stale, from: nil)
        var unwanted = try code(to: "nobody@example.com")
        unwanted.isForNobody = true
        queue.send(unwanted, from: nil)
        for name in ["ann", "bob", "eve"] { queue.send(try code(to: "\(name)@example.com"), from: nil) }
        await queue.close()
        queue.send(try code(), from: nil)
        #expect(
            sent.withLockedValue { $0.sorted() } == ["ann@example.com", "bob@example.com", "eve@example.com"]
        )
        #expect(log.messages.contains("mail given up"))
        #expect(log.messages.last == "mail is turned away")
    }

    @Test func `mail beyond the queue's capacity is refused, and the refusal is logged once a minute`() async throws {
        let (gate, entered) = (DispatchSemaphore(value: 0), AsyncStream.makeStream(of: Void.self))
        var limits = MailLimits()
        limits.capacity = 4
        limits.connections = 1
        let now = NIOLockedValueBox(Duration.zero)
        let queue = try queue(
            MailBackend { _ in
                entered.continuation.yield()
                gate.wait()
            },
            limits: limits,
            uptime: { now.withLockedValue { $0 } }
        )
        func request(_ number: Int) throws -> MailRequest {
            let recipient = try #require(EmailAddress("u\(number)@example.com"))
            return MailRequest(kind: .loginCode, recipient: recipient, source: nil, lifetime: .seconds(600))
        }
        for number in 0..<4 {
            let room = try queue.reserve(try request(number))
            room.send(try code(to: "u\(number)@example.com"))
            if number == 0 { for await _ in entered.stream { break } }
        }
        for _ in 1...3 {
            #expect { try queue.reserve(try request(9)) } throws: { error in
                let error = error as? APIError
                return error?.code == .unavailable && (error?.retryAfter ?? .zero) > .zero
            }
        }
        #expect(log.messages == ["mail is turned away"])
        now.withLockedValue { $0 = .seconds(60) }
        #expect(throws: APIError.self) { try queue.reserve(try request(9)) }
        #expect(log.lines.compactMap { $0["times"] } == ["1", "3"])
        for _ in 0..<4 { gate.signal() }
        await queue.close()
    }

    @Test func `mail with a code replaces only a waiting code with the same recipient and origin`() async throws {
        let (gate, entered) = (DispatchSemaphore(value: 0), AsyncStream.makeStream(of: Void.self))
        let sent = NIOLockedValueBox<[String]>([])
        var limits = MailLimits()
        limits.connections = 1
        let queue = try queue(
            MailBackend { mail in
                let parts = String(decoding: mail.bytes, as: UTF8.self).components(separatedBy: "\r\n\r\n")
                sent.withLockedValue { $0.append("\(mail.recipient) \(parts[1].prefix(6))") }
                entered.continuation.yield()
                gate.wait()
            },
            limits: limits
        )
        func send(_ digits: String, to address: String, from origin: String?) throws {
            let email = try #require(EmailAddress(address))
            let request = MailRequest(kind: .loginCode, recipient: email, origin: origin, lifetime: .seconds(600))
            let end = Self.now + .seconds(600)
            let room = try queue.reserve(request)
            room.send(.code(.loginCode, digits, attempt: "a", to: email, until: end, lifetime: .seconds(600)))
        }
        // Occupies the only connection.
        try send("000000", to: "eve@example.com", from: nil)
        for await _ in entered.stream { break }
        try send("111111", to: "ann@example.com", from: "network 192.0.2.1")
        try send("222222", to: "ann@example.com", from: "network 192.0.2.2")
        try send("333333", to: "ann@example.com", from: "network 192.0.2.1")
        try send("444444", to: "bob@example.com", from: "network 192.0.2.1")
        for _ in 1...4 { gate.signal() }
        await queue.close()
        let delivered = sent.withLockedValue { $0.dropFirst().sorted() }
        #expect(delivered == ["ann@example.com 222222", "ann@example.com 333333", "bob@example.com 444444"])
    }

    @Test func `the mail queue delivers as many mails at a time as it has connections`() async throws {
        let (gate, entered) = (DispatchSemaphore(value: 0), AsyncStream.makeStream(of: String.self))
        let queue = try queue(
            MailBackend { mail in
                entered.continuation.yield(mail.recipient)
                gate.wait()
            }
        )
        for number in 0..<6 { queue.send(try code(to: "u@\(number).example"), from: nil) }
        var arrived: Set<String> = []
        for await recipient in entered.stream {
            arrived.insert(recipient)
            if arrived.count == 4 { break }
        }
        #expect(queue.figures.inFlight == 4)
        #expect(queue.figures.waiting == 2)
        for _ in 0..<6 { gate.signal() }
        await queue.close()
        #expect(queue.figures.waiting == 0)
    }

    @Test func `mail is kept while the relay is down, and the outage is logged once`() async throws {
        let isDown = NIOLockedValueBox(true)
        let queue = try queue(
            MailBackend { _ throws(MailBackend.Fault) in
                if isDown.withLockedValue({ $0 }) {
                    throw MailBackend.Fault(isTransient: true, isRelayFailure: true, reason: "connection refused")
                }
            }
        )
        let messages = log.messagesFromNow()
        for name in ["ann", "bob", "eve"] { queue.send(try code(to: "\(name)@example.com"), from: nil) }
        #expect(await messages.first { $0 == "the mail relay takes no mail" } != nil)
        isDown.withLockedValue { $0 = false }
        var sent = 0
        for await message in messages where message == "mail sent" {
            sent += 1
            if sent == 3 { break }
        }
        await queue.close()
        #expect(log.messages.filter { $0 == "the mail relay takes no mail" }.count == 1)
        #expect(!log.messages.contains("mail failed"))
    }

    @Test func `sendmail gets the mail on its standard input, and the address as an argument without a shell`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "freshet-sendmail-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func program(_ name: String, _ script: String) throws -> MailBackend {
            let file = folder.appending(path: name)
            try Data("#!/bin/sh\n\(script)\n".utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: file.path)
            return .sendmail(path: file.path, timeout: .milliseconds(name == "slow" ? 200 : 20_000))
        }
        let mail = try #require(try format().write(try code(to: "a$`id`@example.com"), at: Self.now))
        let out = folder.appending(path: "out").path
        try program("good", #"printf '%s\n' "$@" >'\#(out)'; cat >>'\#(out)'"#).deliver(mail)
        let text = try String(contentsOfFile: out, encoding: .utf8)
        #expect(text.hasPrefix("-i\n-f\nnoreply@example.com\n--\na$`id`@example.com\nDate: "))
        #expect(text.contains("\n\n123456 is your code"))
        for (name, script, isTransient) in [
            ("busy", "exit 75", true), ("refuses", "exit 67", false), ("slow", "exec sleep 30", true),
        ] {
            let carrier = try program(name, script)
            do throws(MailBackend.Fault) {
                try carrier.deliver(mail)
                Issue.record("\(name) took it")
            } catch { #expect(error.isTransient == isTransient) }
        }
    }

    @Test(arguments: [
        ("smtp://mail.example.com", "required", 587), ("smtps://mail.example.com", "implicit", 465),
        ("smtp://127.0.0.1:2525", "none", 2525), ("smtp://localhost", "none", 587), ("smtp://[::1]:25", "none", 25),
        ("smtp://127.0.0.1.example.com", "required", 587),
    ])
    func `an SMTP URL requires TLS unless its host is the local machine`(url: String, security: String, port: Int)
        throws
    {
        let server = try #require(SMTPServer(url: url))
        #expect(server.security.rawValue == security)
        #expect(server.port == port)
    }
}
