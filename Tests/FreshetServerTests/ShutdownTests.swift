// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetIdentity
import FreshetWire
import GRDB
import Logging
import ServerFixtures
import ServiceLifecycle
import Testing

@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `A server that is told to stop` {
    let server = ServerUnderTest()

    @Test func `a server that is told to stop completes a request in progress first`() async throws {
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        var log = server.log.logger
        log.logLevel = .trace
        let tokenServer = try TokenServer(
            server.configuration,
            log: log,
            clock: server.clocks,
            onListening: { port.yield($0) }
        )
        let group = ServiceGroup(services: [tokenServer.application], logger: log)
        let serving = Task { try await group.run() }
        let listening = try #require(await ports.first { _ in true })

        // Another process holds the database's write lock, so the sign-up cannot finish.
        let other = try server.openDatabase()
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        var readings = server.clockReadings().makeAsyncIterator()
        let body = #"{"email":"ann@example.com","password":"correct horse"}"#
        async let answer = RawConnection.exchange(
            "POST /v1/signup HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)",
            port: listening
        )
        // One for the budget, one for the session that is about to be stored.
        for _ in 1...2 { await readings.next() }

        let stopping = server.log.messagesFromNow()
        await group.triggerGracefulShutdown()
        for await message in stopping where message.contains("shuttingDown") { break }
        try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
        #expect(try await answer.hasPrefix("HTTP/1.1 201 "))
        try await serving.value
        #expect(throws: POSIXError.self) { try RawConnection(port: listening) }

        try await tokenServer.shutDown()
        #expect(try await other.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sessions") } == 1)
    }

    @Test func `a server that is told to stop wakes the services that sleep`() async throws {
        let (begins, begin) = AsyncStream.makeStream(of: Void.self)
        let group = ServiceGroup(services: [SleepingService(begin: begin)], logger: server.log.logger)
        let running = Task { try await group.run() }
        _ = await begins.first { _ in true }
        await group.triggerGracefulShutdown()
        try await running.value
    }
}

/// A service that ends once it wakes, after an hour.
private struct SleepingService: Service {
    let begin: AsyncStream<Void>.Continuation

    func run() async throws {
        begin.yield()
        await #expect(throws: CancellationError.self) { try await sleepUntilShutdown(for: .seconds(3600)) }
    }
}
