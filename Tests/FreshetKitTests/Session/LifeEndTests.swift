// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

/// Tells when nobody holds it any more: the session that it was made for is then gone, with all that belongs to it.
private final class WitnessStore: SessionStore {
    private let base = InMemoryStore()
    private let end: AsyncStream<Never>.Continuation
    let name = "witness"

    init(_ end: AsyncStream<Never>.Continuation) { self.end = end }

    deinit { end.finish() }

    func read() throws(SessionStoreError) -> SessionRecord? { try base.read() }

    func replace(_ expected: SessionRecord?, with record: SessionRecord?) throws(SessionStoreError) -> Bool {
        try base.replace(expected, with: record)
    }

    func overwrite(with record: SessionRecord?) throws(SessionStoreError) { try base.overwrite(with: record) }
}

/// A session is deallocated with its last reference: no task, stream, timer or list of the SDK's retains it.
@Suite(.timeLimit(.minutes(5))) struct `Session deallocation` {
    let bench = SessionFixture()

    /// Runs `use` on a session, and returns when nothing of it is left.
    private func expectEnd(
        transport: (any HTTPTransport)? = nil,
        of use: (AuthSession) async throws -> Void
    ) async throws {
        let (gone, end) = AsyncStream.makeStream(of: Never.self)
        do {
            let session = try bench.session(store: WitnessStore(end), transport: transport)
            try await session.signIn(.test)
            try await use(session)
        }
        for await _ in gone {}
    }

    @Test func `an unreferenced session is deallocated after a sign-in`() async throws { try await expectEnd { _ in } }

    @Test func `an unreferenced session is deallocated after requests and refreshes`() async throws {
        let request = try bench.request()
        try await expectEnd { session in
            for _ in 0..<3 {
                _ = try await session.data(for: request)
                try await session.refresh()
                bench.clock.advance(by: .seconds(601))
            }
        }
    }

    @Test func `an unreferenced session is deallocated after a refresh without waiting for the caller timeout`()
        async throws
    {
        try await expectEnd { session in try await session.refresh() }
    }

    @Test func `an unreferenced session is deallocated while it waits for its token's expiry in the foreground`()
        async throws
    {
        try await expectEnd { session in
            session.enterForeground()
            await bench.clock.waitForSleep(for: .seconds(540))
        }
    }

    @Test func `an unreferenced session is deallocated and ends its observed state and event streams`() async throws {
        let (listening, listens) = AsyncStream.makeStream(of: Void.self)
        var listeners: [Task<Void, Never>] = []
        try await expectEnd { session in
            let (states, events) = (session.states, session.events)
            listeners.append(Task { for await _ in states { listens.yield() } })
            listeners.append(Task { for await _ in events { listens.yield() } })
            for await _ in listening { break }
        }
        // The streams end with the session.
        for listener in listeners { await listener.value }
    }

    @Test func `a session is deallocated when a refresh without callers has finished`() async throws {
        bench.backend.fail(.answer(status: 503, headers: [:], body: ""))
        try await expectEnd { session in
            let caller = Task { _ = try? await session.refresh() }
            let pause = await bench.clock.waitForSleep { $0 < .seconds(1) }
            // No caller waits for it now.
            caller.cancel()
            await caller.value
            // The next try, which succeeds. Any later, and its time limit would be over on a busy machine.
            bench.clock.advance(by: pause)
        }
        #expect(bench.backend.counts.refreshes == 2, "the try that failed, and the next one")
    }

    @Test func `an unreferenced session is deallocated after a sign-out whose logout is still pending`() async throws {
        let transport = ManualTransport()
        async let answers: Void = {
            try await transport.next().answer(from: bench.backend)
            try await transport.next(to: "/v1/logout").fail()
        }()
        try await expectEnd(transport: transport) { session in
            try await session.signOut()
            #expect(session.status.hasPendingLogout)
        }
        try await answers
    }

    @Test func `an unreferenced session is deallocated after its socket is closed`() async throws {
        let sockets = ManualWebSocketTransport()
        try await expectEnd { session in
            let url = try Fixtures.url("wss://api.example.com/feed")
            let socket = try session.socket(url, configuration: .quiet, transport: sockets)
            await socket.connect()
            try await sockets.next().accept()
            await socket.untilOpen()
            await socket.close()
        }
    }

    @Test func `a released session stops its network monitor`() async throws {
        let (updates, monitor) = AsyncStream.makeStream(of: Bool.self)
        let (stopped, stop) = AsyncStream.makeStream(of: Never.self)
        monitor.onTermination = { _ in stop.finish() }
        var bench = bench
        bench.configuration.networkMonitor = SessionNetworkMonitor { updates }
        do { _ = try bench.session() }
        for await _ in stopped {}
    }
}
