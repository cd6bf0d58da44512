// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import FreshetTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5))) struct `Reports of a test that waits` {
    private let printed = AsyncStream.makeStream(of: String.self)
    private var reporter: WaitReporter {
        WaitReporter(threshold: .milliseconds(50)) { [printed] in printed.continuation.yield($0) }
    }

    private func report(_ isMeant: (String) -> Bool) async -> String {
        for await text in printed.stream where isMeant(text) { return text }
        return ""
    }

    private func session(_ transport: any HTTPTransport, _ clock: TestClock) throws -> AuthSession {
        try AuthSession(
            baseURL: try #require(URL(string: "https://api.example.com")),
            store: InMemoryStore(),
            transport: transport,
            clock: clock
        )
    }

    private let items = URL(string: "https://api.example.com/items")

    @Test func `a wait report for a paused refresh on a stopped clock names the pause and suggests skipPauses`()
        async throws
    {
        let clock = TestClock(reporter: reporter)
        let backend = TestBackend()
        let session = try session(backend, clock)
        try await session.signIn(.password(email: "ann@example.com", password: "secret"))
        backend.endSessions()
        backend.fail(.status(503))
        let request = URLRequest(url: try #require(items))
        let call = Task { try await session.data(for: request) }
        let text = await report { $0.contains("Nothing moves this TestClock") }
        #expect(text.contains("asleep: a pause between two attempts to refresh"))
        #expect(text.contains("skipPauses"))
        await #expect(throws: SessionError.self) { try await clock.skipPauses { _ = try await call.value } }
        #expect(session.state == .signedOut(.revoked))
    }

    @Test func `the report of a wait for a missing sleep names the open request`() async throws {
        let clock = TestClock(reporter: reporter)
        let transport = ManualTransport(reporter: reporter)
        let session = try session(transport, clock)
        let signIn = Task { try? await session.signIn(.password(email: "ann@example.com", password: "secret")) }
        let wait = Task { await clock.waitForSleep(for: .seconds(77)) }
        let text = await report { $0.contains("waits for a sleep for 77 s") && $0.contains("open request") }
        #expect(text.contains("open request: POST /v1/login/password, not asked for by the test"))
        wait.cancel()
        signIn.cancel()
        await wait.value
        _ = await signIn.value
    }

    @Test func `the report of a wait for a missing request names the open request and the sleepers`() async throws {
        let clock = TestClock(reporter: reporter)
        let transport = ManualTransport(reporter: reporter)
        let session = try session(transport, clock)
        let signIn = Task { try? await session.signIn(.password(email: "ann@example.com", password: "secret")) }
        let pending = try await transport.next(to: "/v1/login/password")
        let wait = Task { _ = try? await transport.next(to: "/v1/refresh") }
        let text = await report { $0.contains("waits for a request to /v1/refresh") }
        #expect(text.contains("open request: POST /v1/login/password, not answered"))
        #expect(text.contains("asleep: a time limit of a request"))
        #expect(!text.contains("secret"))
        wait.cancel()
        pending.fail()
        signIn.cancel()
        await wait.value
        _ = await signIn.value
    }

    @Test func `a wait report names a held request and an awaited socket handshake`() async throws {
        let clock = TestClock(reporter: reporter)
        let backend = TestBackend()
        let session = try session(backend, clock)
        try await session.signIn(.password(email: "ann@example.com", password: "secret"))
        backend.fail(.held, at: .api)
        let request = URLRequest(url: try #require(items))
        let call = Task { try await session.data(for: request) }
        for await _ in backend.heldRequests { break }
        let sockets = ManualWebSocketTransport(clock: clock, reporter: reporter)
        let wait = Task { _ = try? await sockets.next() }
        let text = await report { $0.contains("waits for a WebSocket handshake") && $0.contains("held") }
        #expect(text.contains("open request: GET /items, held"))
        wait.cancel()
        backend.release()
        _ = try await call.value
        await wait.value
    }

    @Test func `a wait that ends in time is not reported`() async throws {
        let clock = TestClock(reporter: WaitReporter(threshold: .seconds(60)) { Issue.record("\($0)") })
        let sleeper = Task { try? await clock.sleep(for: .seconds(1)) }
        await clock.waitForSleep(for: .seconds(1))
        clock.advance(by: .seconds(1))
        await sleeper.value
    }
}
