// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Several sessions over one store, as several processes have them.
@Suite(.timeLimit(.minutes(5))) struct `Siblings over one store` {
    let bench = SessionFixture()
    let folder: Folder

    init() throws { folder = try Folder() }

    private func session(_ transport: (any HTTPTransport)? = nil) throws -> AuthSession {
        try bench.session(store: FileStore(directory: folder.url, name: "main"), transport: transport)
    }

    @Test func `concurrent refreshes of two processes without a lock advance one session by one generation`()
        async throws
    {
        let store = Lockless(FileStore(directory: folder.url, name: "main"))
        try await bench.session(store: store).signIn(.test)
        for round in 1...10 {
            bench.clock.advance(by: .seconds(601))
            let (first, second) = (try bench.session(store: store), try bench.session(store: store))
            async let one = first.accessToken()
            async let other = second.accessToken()
            _ = try await (one, other)
            #expect(try session().status.generation == UInt64(round))
        }
        #expect(bench.backend.liveSessions == 1)
    }

    /// Two processes whose access token has expired.
    private func siblings(
        on store: any SessionStore,
        _ transports: (ManualTransport, ManualTransport)
    ) async throws -> (AuthSession, AuthSession) {
        try await bench.session(store: store).signIn(.test)
        bench.clock.advance(by: .seconds(601))
        return (
            try bench.session(store: store, transport: transports.0),
            try bench.session(store: store, transport: transports.1)
        )
    }

    @Test func `two concurrent refreshes without a lock send the same request, and the generation rises by one`()
        async throws
    {
        let store = Lockless(FileStore(directory: folder.url, name: "main"))
        let transports = (ManualTransport(), ManualTransport())
        let (first, second) = try await siblings(on: store, transports)
        async let one = first.accessToken()
        async let other = second.accessToken()
        let requests = (try await transports.0.next(to: "/v1/refresh"), try await transports.1.next(to: "/v1/refresh"))
        #expect(requests.0.request.httpBody == requests.1.request.httpBody)
        requests.0.answer(from: bench.backend)
        requests.1.answer(from: bench.backend)
        #expect(try await Set([one.value, other.value]) == ["access-2", "access-3"])
        #expect(first.status.generation == 1 && second.status.generation == 1)
        #expect(first.status.isSaved && second.status.isSaved)
        #expect(bench.backend.liveSessions == 1)
    }

    @Test func `a process waits for another process's refresh, and uses its token`() async throws {
        try await session().signIn(.test)
        bench.clock.advance(by: .seconds(601))
        let transport = ManualTransport()
        let (first, second) = (try session(transport), try session())
        async let one = first.accessToken()
        let refresh = try await transport.next(to: "/v1/refresh")
        async let other = second.accessToken()
        await bench.clock.waitForSleep(for: .milliseconds(40))
        refresh.answer(from: bench.backend)
        let token = try await one
        bench.clock.advance(by: .milliseconds(40))
        #expect(try await other == token)
        #expect(bench.backend.counts.refreshes == 1)
    }

    @Test func `a lock of a stopped process delays another process's refresh by at most ten seconds`()
        async throws
    {
        try await session().signIn(.test)
        bench.clock.advance(by: .seconds(601))
        let stopped = try #require(try FileStore(directory: folder.url, name: "main").processLock?.attempt())
        let second = try session()
        async let token = second.accessToken()
        for _ in 0..<250 {
            await bench.clock.waitForSleep(for: .milliseconds(40))
            bench.clock.advance(by: .milliseconds(40))
        }
        #expect(try await token.value == "access-2")
        stopped.release()
    }

    @Test func `a process adopts the tokens that another process refreshed, without a second refresh`() async throws {
        let first = try session()
        try await first.signIn(.test)
        let second = try session()
        bench.clock.advance(by: .seconds(601))
        let token = try await first.accessToken()
        #expect(try await second.accessToken() == token)
        #expect(bench.backend.counts.refreshes == 1)
    }

    @Test func `a sign-out in one process signs out another at its next token request, without a refresh`() async throws
    {
        let first = try session()
        try await first.signIn(.test)
        let second = try session()
        try await first.signOut()
        bench.clock.advance(by: .seconds(601))
        #expect(await failure { try await second.accessToken() } == .signedOut(.removed))
        #expect(bench.backend.counts.refreshes == 0)
    }

    @Test func `a sign-out in one process discards the result of another process's refresh in progress`() async throws {
        let first = try session()
        try await first.signIn(.test)
        bench.clock.advance(by: .seconds(601))
        let transport = ManualTransport()
        let second = try session(transport)
        async let error = failure { try await second.accessToken() }
        let refresh = try await transport.next(to: "/v1/refresh")
        refresh.answerLater(from: bench.backend) { try await first.signOut() }
        #expect(await error == .signedOut(.removed))
        #expect(try session().state == .signedOut(nil))
    }

    @Test func `a process uses the session that another process signed in`() async throws {
        let (first, second) = (try session(), try session())
        #expect(await failure { try await second.accessToken() } == .signedOut(nil))
        try await first.signIn(.test)
        #expect(try await second.accessToken().value == "access-1")
    }

    /// The server has bound the stored token to this intent, so that no process may present another.
    @Test func `a late response without a lock leaves the intent of the next refresh in the store`() async throws {
        let store = Lockless(FileStore(directory: folder.url, name: "main"))
        let transports = (ManualTransport(), ManualTransport())
        let (first, second) = try await siblings(on: store, transports)
        async let one = first.accessToken()
        async let other = second.accessToken()
        let requests = (try await transports.0.next(to: "/v1/refresh"), try await transports.1.next(to: "/v1/refresh"))
        requests.0.answer(from: bench.backend)
        _ = try await one
        async let refreshed: Void = first.refresh()
        let next = try await transports.0.next(to: "/v1/refresh")
        let intent = try #require(try store.read()?.session?.intent)
        requests.1.answer(from: bench.backend)
        _ = try await other
        #expect(try store.read()?.session?.intent == intent)
        next.answer(from: bench.backend)
        try await refreshed
        #expect(bench.backend.liveSessions == 1)
    }

    @Test func `tokens that are stored again after the record was set back keep the intent of another process`()
        async throws
    {
        let store = Lockless(FileStore(directory: folder.url, name: "main"))
        let transports = (ManualTransport(), ManualTransport())
        let (first, second) = try await siblings(on: store, transports)
        async let one = first.accessToken()
        async let other = second.accessToken()
        let requests = (try await transports.0.next(to: "/v1/refresh"), try await transports.1.next(to: "/v1/refresh"))
        let early = try store.read()
        requests.0.answer(from: bench.backend)
        _ = try await one
        async let refreshed: Void = first.refresh()
        let next = try await transports.0.next(to: "/v1/refresh")
        let intent = try #require(try store.read()?.session?.intent)
        requests.1.answer(from: bench.backend)
        _ = try await other
        try store.overwrite(with: early)
        async let failed = failure { try await second.refresh() }
        let refresh = try await transports.1.next(to: "/v1/refresh")
        #expect(try store.read()?.session?.generation == 1)
        #expect(try store.read()?.session?.intent == intent, "the server has bound the token to it")
        refresh.answer(400, body: #"{"error":"quota_exhausted"}"#)
        #expect(await failed == .invalidResponse("400 quota_exhausted"))
        next.answer(from: bench.backend)
        try await refreshed
    }

    /// A server without intents replaces the successor of a token that is presented again, and then accepts only the new
    /// one.
    @Test func `a response to an earlier request replaces no tokens of a later one`() async throws {
        let store = Lockless(FileStore(directory: folder.url, name: "main"))
        let contract = try Contract.named("creatist")
        let transports = (ManualTransport(), ManualTransport())
        let first = try bench.session(contract: contract, store: store, transport: transports.0)
        let grant = TokenGrant(accessToken: "a1", refreshToken: "r1", expiresIn: .seconds(600))
        try await first.signIn(.tokens(grant))
        bench.clock.advance(by: .seconds(601))
        let second = try bench.session(contract: contract, store: store, transport: transports.1)
        async let one = first.accessToken()
        async let other = second.accessToken()
        let early = try await transports.0.next(to: "/auth/refresh")
        try await transports.1.next(to: "/auth/refresh").fail()
        await bench.clock.waitForSleep(for: .milliseconds(250))
        bench.clock.advance(by: .milliseconds(250))
        try await transports.1.next(to: "/auth/refresh")
            .answer(200, json: #"{"access_token":"a3","refresh_token":"r3","expires_in":600}"#)
        #expect(try await other.value == "a3")
        early.answer(200, json: #"{"access_token":"a2","refresh_token":"r2","expires_in":600}"#)
        #expect(try await one.value == "a3")
        #expect(try store.read()?.session?.refreshToken == "r3")
    }

    @Test func `a refresh returns the stored access token if the store has a later generation than its response`()
        async throws
    {
        let store = Lockless(FileStore(directory: folder.url, name: "main"))
        let contract = try Contract.named("creatist")
        let transports = (ManualTransport(), ManualTransport())
        let first = try bench.session(contract: contract, store: store, transport: transports.0)
        let grant = TokenGrant(accessToken: "a1", refreshToken: "r1", expiresIn: .seconds(600))
        try await first.signIn(.tokens(grant))
        bench.clock.advance(by: .seconds(601))
        let second = try bench.session(contract: contract, store: store, transport: transports.1)
        async let one = first.accessToken()
        let early = try await transports.0.next(to: "/auth/refresh")
        for number in 2...3 {
            async let refreshed: Void = second.refresh()
            try await transports.1.next(to: "/auth/refresh")
                .answer(200, json: #"{"access_token":"a\#(number)","refresh_token":"r\#(number)","expires_in":600}"#)
            try await refreshed
        }
        early.answer(200, json: #"{"access_token":"a0","refresh_token":"r0","expires_in":600}"#)
        #expect(try await one.value == "a3")
        #expect(try store.read()?.session?.refreshToken == "r3")
    }
}

/// A store whose processes cannot take turns.
private struct Lockless: SessionStore {
    let store: FileStore

    init(_ store: FileStore) { self.store = store }

    var name: String { store.name }
    func read() throws(SessionStoreError) -> SessionRecord? { try store.read() }
    func overwrite(with record: SessionRecord?) throws(SessionStoreError) { try store.overwrite(with: record) }
    func replace(_ expected: SessionRecord?, with record: SessionRecord?) throws(SessionStoreError) -> Bool {
        try store.replace(expected, with: record)
    }
}

extension PendingRequest {
    /// Lets the backend act now, and its answer arrive after something else happened.
    fileprivate func answerLater(from backend: TestBackend, after: @escaping @Sendable () async throws -> Void) {
        Task {
            let answer = try? await backend.data(for: request)
            try await after()
            self.answer(
                200,
                json: answer.map { String(decoding: $0.0, as: UTF8.self) } ?? "{}"
            )
        }
    }
}
