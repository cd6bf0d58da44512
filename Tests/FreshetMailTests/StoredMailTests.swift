// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetEngine
import FreshetWire
import Logging
import NIOConcurrencyHelpers
import SMTPRelay
import ServerFixtures
import Testing

@testable import FreshetDatabase
@testable import FreshetMail
@testable import FreshetMetrics

/// The part of the mail queue that survives its server.
@Suite(.timeLimit(.minutes(5)))
struct `The stored mail queue` {
    private static let now = Timestamp(milliseconds: 1_800_000_000_000)
    private let log = CapturedLog()

    private func message(
        _ address: String = "ann@example.com",
        lifetime: Duration = .seconds(600),
        isForNobody: Bool = false
    ) throws -> MailMessage {
        let email = try #require(EmailAddress(address))
        let end = Self.now + lifetime
        var mail = MailMessage.code(.loginCode, "123456", attempt: "a", to: email, until: end, lifetime: lifetime)
        mail.isForNobody = isForNobody
        return mail
    }

    private func seal(_ byte: UInt8 = 7, id: UInt8 = 1) throws -> MailSeal {
        try #require(MailSeal(codeKeys: [id: SymmetricKey(data: [UInt8](repeating: byte, count: 32))]))
    }

    /// A queue; its lease is on a clock that stands still if asked for, however long a busy machine keeps the test waiting.
    private func queue(
        _ store: MailStore,
        metrics: ServerMetrics? = nil,
        uptime: @escaping @Sendable () -> Duration = ClockSource.system.monotonic,
        _ carrier: MailBackend
    ) throws -> MailQueue {
        MailQueue(
            carrier,
            format: MailFormat(sender: try #require(MailAddress("noreply@example.com"))),
            store: store,
            metrics: metrics,
            log: log.logger,
            clock: { Self.now },
            uptime: uptime
        )
    }

    private func request(_ address: String = "ann@example.com") throws -> MailRequest {
        let recipient = try #require(EmailAddress(address))
        return MailRequest(kind: .loginCode, recipient: recipient, source: nil, lifetime: .seconds(600))
    }

    private func rows(_ database: any ServerDatabase) throws -> Int64 {
        try database.readNow { try $0.number("SELECT count(*) FROM mail_queue") ?? 0 }
    }

    /// A queue that never delivers accepts a mail, as a request does it.
    private func accept(_ address: String, _ store: MailStore) async throws {
        let room = try queue(store, MailBackend { _ in }).reserve(try request(address))
        let message = try message(address)
        try await store.database.durably { try room.store(message, $0) }
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `a stored mail is encrypted, and only its own key and row decrypt it`(engine: DatabaseEngine)
        async throws
    {
        let seal = try seal()
        let source = SourceAddress("2001:db8::1")
        let mail = QueuedMail(
            message: try message(isForNobody: true),
            source: source,
            origin: "network 2001:db8::/64",
            isStored: true
        )
        try await engine.make().opened { database in
            let store = MailStore(database: database, seal: seal, isShared: false)
            try await database.durably { try store.insert(mail, id: Bits128(1, 2), in: $0) }
            let other = MailStore(database: database, seal: seal, isShared: false)
            let row = try #require(try await other.takeOrphans(of: [], limit: 9, now: Self.now).first)
            #expect(row.sealed.count > 100)
            #expect(Data(row.sealed).range(of: Data("123456".utf8)) == nil)
            #expect(Data(row.sealed).range(of: Data("ann".utf8)) == nil)
            let opened = try #require(seal.open(row))
            #expect(opened.message.text == mail.message.text)
            #expect(opened.message.subject == mail.message.subject)
            #expect(opened.message.expiresAt == mail.message.expiresAt)
            #expect(opened.message.isForNobody && opened.isStored)
            #expect(opened.source == mail.source && opened.origin == mail.origin)
            #expect(try self.seal(8).open(row) == nil)
            #expect(try self.seal(7, id: 2).open(row) == nil)
            for change: (inout MailTable.Row) -> Void in [
                { $0.id = Bits128(1, 3) }, { $0.expiresAt = Self.now + .seconds(601) }, { $0.sealed[20] ^= 1 },
            ] {
                var changed = row
                change(&changed)
                #expect(seal.open(changed) == nil)
            }
        }
    }

    @Test(
        arguments: [
            ("", "•••@"), ("@", "@•••@"), ("ann\u{3164}@example.com", "a•••@example.com"),
            ("a@b@example.com", "a•••@example.com"),
        ]
    )
    func `a stored mail to an address that is no longer permitted is read and logged`(address: String, logged: String)
        async throws
    {
        let recipient = EmailAddress(stored: address), end = Self.now + .seconds(600)
        let message = MailMessage.code(
            .loginCode,
            "123456",
            attempt: "a",
            to: recipient,
            until: end,
            lifetime: .seconds(600)
        )
        let mail = QueuedMail(message: message, isStored: true)
        let seal = try seal()
        try await DatabaseEngine.sqlite.make().opened { database in
            let store = MailStore(database: database, seal: seal, isShared: false)
            try await database.durably { try store.insert(mail, id: Bits128(1, 2), in: $0) }
            let other = MailStore(database: database, seal: seal, isShared: false)
            let row = try #require(try await other.takeOrphans(of: [], limit: 9, now: Self.now).first)
            #expect(seal.open(row)?.message.recipient.text == address)
        }
        #expect(MailQueue.metadata(message)["to"] == .string(logged))
    }

    @Test func `a mail queue drops mails that another server took, but none stored after the rows were read`()
        throws
    {
        var state = MailQueue.State(schedule: MailSchedule(MailLimits()), leaseRenewedAt: .zero)
        let ids = (1...4).map { Bits128(0, $0) }
        for (number, id) in ids.enumerated() {
            let mail = QueuedMail(message: try message("u\(number)@example.com"), isStored: number != 3)
            try state.schedule.reserve(mail.entry(id, expiresAt: .seconds(600)), now: .zero)
            state.mails[id] = mail
            _ = state.schedule.enqueue(id)
        }
        // The first has its row; the third was committed after the rows were read; the fourth has none.
        state.forgetTaken(of: [ids[0], ids[1], ids[3]], remaining: [ids[0]])
        #expect(ids.map(state.schedule.contains) == [true, false, true, true])
        #expect(Set(state.mails.keys) == [ids[0], ids[2], ids[3]])
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `a mail accepted before a restart is delivered once and deleted`(engine: DatabaseEngine) async throws {
        let place = try engine.make()
        try await place.opened { database in
            let seal = try seal()
            try await accept("ann@example.com", MailStore(database: database, seal: seal, isShared: false))
            #expect(try rows(database) == 1)
            let store = MailStore(database: database, seal: seal, isShared: false)
            let (sent, delivered) = AsyncStream.makeStream(of: String.self)
            let queue = try queue(store, MailBackend { delivered.yield($0.recipient) })
            try await queue.maintain(store, takesOrphans: true)
            try await queue.maintain(store, takesOrphans: true)
            #expect(await sent.first { _ in true } == "ann@example.com")
            await queue.close()
            #expect(log.messages.filter { $0 == "mail sent" }.count == 1)
        }
        // A database that closes finishes its writes first.
        try await place.opened { database in
            let left = try rows(database)
            #expect(left == 0)
        }
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `a queue that closes while a mail is removed deletes the mail's row`(engine: DatabaseEngine) async throws {
        struct Handler: LogHandler {
            let giveUp: @Sendable () -> Void
            var metadata: Logger.Metadata = [:]
            var logLevel = Logger.Level.debug
            subscript(metadataKey key: String) -> Logger.Metadata.Value? {
                get { metadata[key] }
                set { metadata[key] = newValue }
            }
            func log(event: LogEvent) { if event.message == "mail given up" { giveUp() } }
        }
        let place = try engine.make()
        try await place.opened { database in
            let closing = NIOLockedValueBox<(queue: MailQueue?, task: Task<Void, Never>?)>((nil, nil))
            let (removals, removed) = AsyncStream.makeStream(of: Void.self)
            // It is called after the mail has left the schedule, and returns once the queue has stopped.
            let handler = Handler {
                guard let queue = closing.withLockedValue(\.queue) else { return }
                closing.withLockedValue { $0.task = Task { await queue.close() } }
                while !queue.state.withLockedValue(\.isStopped) { Thread.sleep(forTimeInterval: 0.001) }
                removed.yield()
            }
            let queue = MailQueue(
                MailBackend { _ throws(MailBackend.Fault) in throw .init(isTransient: true, reason: "450") },
                format: MailFormat(sender: try #require(MailAddress("noreply@example.com"))),
                store: MailStore(database: database, seal: try seal(), isShared: false),
                log: Logger(label: "test") { _ in handler },
                clock: { Self.now }
            )
            closing.withLockedValue { $0.queue = queue }
            // It expires before its second attempt.
            queue.send(try message(lifetime: .seconds(4)), from: nil)
            #expect(await removals.first { true } != nil)
            await closing.withLockedValue(\.task)?.value
        }
        try await place.opened { database in
            let left = try rows(database)
            #expect(left == 0)
        }
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `a stored mail that no key of the server decrypts is dropped and counted`(engine: DatabaseEngine) async throws
    {
        let place = try engine.make()
        try await place.opened { database in
            try await accept("ann@example.com", MailStore(database: database, seal: try seal(1), isShared: false))
            let store = MailStore(database: database, seal: try seal(2), isShared: false)
            let metrics = ServerMetrics()
            let queue = try queue(store, metrics: metrics, MailBackend { _ in Issue.record("it was delivered") })
            try await queue.maintain(store, takesOrphans: true)
            #expect(metrics.text.contains("freshet_mail_dropped_total{cause=\"unreadable\"} 1"))
            await queue.close()
        }
        try await place.opened { database in
            let left = try rows(database)
            #expect(left == 0)
        }
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `a failed request leaves no mail in the queue`(engine: DatabaseEngine) async throws {
        struct Failure: Error {}
        try await engine.make().opened { database in
            let store = MailStore(database: database, seal: try seal(), isShared: false)
            let queue = try queue(store, MailBackend { _ in })
            let room = try queue.reserve(try request())
            let message = try message()
            await #expect(throws: Failure.self) {
                try await database.durably { connection in
                    try room.store(message, connection)
                    throw Failure()
                }
            }
            room.cancel()
            #expect(try rows(database) == 0)
            #expect(queue.figures.waiting == 0)
            await queue.close()
        }
    }

    @Test func `another server delivers a stored mail only after the mail's own server has stopped`() async throws {
        guard DatabaseEngine.wanted.contains(.postgres) else { return }
        try await DatabaseEngine.postgres.make().opened { database in
            let seal = try seal()
            let stores = [1, 2, 3].map { _ in MailStore(database: database, seal: seal, isShared: true) }
            for store in stores { try store.register() }
            try await accept("ann@example.com", stores[0])
            try await accept("bob@example.com", stores[1])
            let (sent, delivered) = AsyncStream.makeStream(of: String.self)
            let queue = try queue(stores[2], MailBackend { delivered.yield($0.recipient) })
            // The first server goes on, the second one stands still.
            for _ in 0...HeartbeatMonitor.missedBeatLimit {
                #expect(queue.figures.deferred == 0)
                _ = try await stores[0].recordHeartbeat()
                try await queue.maintain(stores[2], takesOrphans: true)
            }
            #expect(await sent.first { _ in true } == "bob@example.com")
            // One that stops in good order leaves its mail at once.
            stores[0].unregister()
            try await queue.maintain(stores[2], takesOrphans: true)
            #expect(await sent.first { _ in true } == "ann@example.com")
            await queue.close()
            #expect(log.messages.filter { $0 == "mail sent" }.count == 2)
        }
    }

    @Test func `a paused server drops the stored mails that another server took over`() async throws {
        guard DatabaseEngine.wanted.contains(.postgres) else { return }
        try await DatabaseEngine.postgres.make().opened { database in
            let seal = try seal()
            let (paused, other) = (
                MailStore(database: database, seal: seal, isShared: true),
                MailStore(database: database, seal: seal, isShared: true)
            )
            for store in [paused, other] { try store.register() }
            let isDown = MailBackend { _ throws(MailBackend.Fault) in
                throw MailBackend.Fault(isTransient: true, isRelayFailure: true, reason: "down")
            }
            let queue = try queue(paused, uptime: { .zero }, isDown)
            let messages = log.messagesFromNow()
            let room = try queue.reserve(try request())
            let message = try message()
            try await database.durably { try room.store(message, $0) }
            room.send(message)
            #expect(await messages.first { _ in true } == "the mail relay takes no mail")
            #expect(try await other.takeOrphans(of: [paused.server], limit: 9, now: Self.now).count == 1)
            try await queue.maintain(paused, takesOrphans: true)
            #expect(queue.figures.waiting == 0)
            await queue.close()
        }
    }

    @Test(arguments: [
        (SMTPRelay.Reply.refuse(450), MailOutcome.deferred), (.refuse(421), .deferred), (.refuse(550), .refused),
        (.refuseMail(451), .deferred), (.refuseMail(554), .refused), (.refuseSender(451), .relayUnavailable),
        (.refuseSender(550), .relayRefused), (.hang, .deferred),
    ])
    func `an SMTP refusal of a recipient has another outcome than a failure of the relay`(
        reply: SMTPRelay.Reply,
        outcome: MailOutcome
    ) async throws {
        let relay = try await SMTPRelay { _ in reply }
        #expect(try Self.outcome(port: relay.port) == outcome)
        try await relay.stop()
    }

    @Test func `a relay that does not listen counts as unavailable, and one without TLS as refusing`() async throws {
        let relay = try await SMTPRelay()
        #expect(try Self.outcome(port: relay.port, security: .required) == .relayRefused)
        #expect(try Self.outcome(port: relay.port) == nil)
        try await relay.stop()
        #expect(try Self.outcome(port: relay.port) == .relayUnavailable)
    }

    private static func outcome(port: Int, security: SMTPServer.Security = .none) throws -> MailOutcome? {
        var server = try #require(SMTPServer(url: "smtp://127.0.0.1:\(port)"))
        server.security = security
        server.totalTimeout = .milliseconds(700)
        let mail = OutgoingMail(
            sender: "a@example.com",
            recipient: "b@example.com",
            bytes: Array("A: b\r\n\r\nc\r\n".utf8)
        )
        do throws(MailBackend.Fault) {
            try MailBackend.smtp(server, greeting: "example.com").deliver(mail)
            return nil
        } catch { return error.outcome }
    }
}
