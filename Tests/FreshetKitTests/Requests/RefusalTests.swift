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

/// Failures of other clients when a server refuses a token.
@Suite(.timeLimit(.minutes(5))) struct `Refused requests` {
    let bench = SessionFixture()

    enum Way: CaseIterable, Sendable {
        case data, bytes, upload, uploadFile, download

        /// - Returns: The status.
        func send(_ request: URLRequest, by session: AuthSession) async throws -> Int {
            switch self {
            case .data: return try await session.data(for: request).1.statusCode
            case .bytes: return try await session.bytes(for: request).1.statusCode
            case .upload: return try await session.upload(for: request, from: Data("x".utf8)).1.statusCode
            case .uploadFile:
                let folder = try ScratchFolder()
                defer { withExtendedLifetime(folder) {} }
                let file = try folder.file("file", Data("x".utf8))
                return try await session.upload(for: request, fromFile: file).1.statusCode
            case .download:
                let (file, response) = try await session.download(for: request)
                try FileManager.default.removeItem(at: file)
                return response.statusCode
            }
        }
    }

    @Test(arguments: Way.allCases)
    func `a request that is always refused causes one refresh and one replay`(way: Way) async throws {
        let session = try await bench.expiredSession()
        bench.backend.refusesEverything = true
        _ = try await session.accessToken()
        bench.clock.advance(by: .seconds(60))
        let refreshes = bench.backend.counts.refreshes
        #expect(try await way.send(bench.request(), by: session) == 401)
        #expect(bench.backend.counts.refreshes == refreshes + 1)
        #expect(bench.backend.counts.requests == 2)
        #expect(session.state.isSignedIn)
    }

    @Test(arguments: Way.allCases)
    func `a caller that waits for a refresh that fails permanently gets the reason`(way: Way) async throws {
        let session = try await bench.expiredSession()
        _ = try await session.accessToken()
        bench.clock.advance(by: .seconds(60))
        bench.backend.endSessions(reason: "revoked")
        let request = try bench.request()
        await withTaskGroup(of: SessionError?.self) { group in
            for _ in 0..<8 {
                group.addTask { await failure { try await way.send(request, by: session) } }
            }
            for await error in group { #expect(error == .signedOut(.revoked)) }
        }
        #expect(bench.backend.counts.refreshes == 2, "one to begin with, one for all of them")
    }

    @Test(arguments: Way.allCases)
    func `a caller that gives up during a refresh does not affect other callers`(way: Way) async throws {
        let store = InMemoryStore()
        try await bench.session(store: store).signIn(.test)
        let transport = ManualTransport()
        let session = try bench.session(store: store, transport: transport)
        bench.clock.advance(by: .seconds(60))
        let request = try bench.request("/mine")
        let other = try bench.request("/other")
        let caller = Task { try await way.send(request, by: session) }
        try await transport.next(to: "/mine").answer(401)
        let refresh = try await transport.next(to: "/v1/refresh")
        async let others = way.send(other, by: session)
        try await transport.next(to: "/other").answer(401)
        caller.cancel()
        await #expect(throws: SessionError.cancelled) { try await caller.value }
        refresh.answer(from: bench.backend)
        let replay = try await transport.next(to: "/other")
        #expect(replay.bearer == "access-2")
        replay.answer(200)
        #expect(try await others == 200)
        #expect(transport.unclaimed.allSatisfy { $0.path == "/v1/confirm" })
    }

    @Test func `a method that the contract does not replay is not replayed`() async throws {
        let text = """
            {"contract": 1, "name": "careful", "endpoints": {"refresh": {"path": "/v1/refresh",
            "json": {"refresh_token": "$refresh_token"}}}, "reply": {"access": "/access_token",
            "refresh": "/refresh_token", "expiry": [{"in": "/expires_in", "unit": "s"}]},
            "replay": {"methods": ["GET"]}, "rotation": "optional"}
            """
        let transport = ManualTransport()
        let session = try AuthSession(
            contract: Contract(json: Data(text.utf8)),
            baseURL: Fixtures.base(),
            store: InMemoryStore(),
            transport: transport,
            clock: bench.clock
        )
        try await session.signIn(
            .tokens(TokenGrant(accessToken: "old", refreshToken: "r", expiresIn: .seconds(600)))
        )
        bench.clock.advance(by: .seconds(60))
        let request = try bench.request()
        async let upload = session.upload(for: request, from: Data("x".utf8))
        try await transport.next(to: "/things").answer(401, body: "no")
        #expect(try await upload.0 == Data("no".utf8))
        try await transport.next(to: "/v1/refresh")
            .answer(200, json: #"{"access_token":"new","refresh_token":"r2","expires_in":600}"#)
        async let answer = session.bytes(for: request)
        let sent = try await transport.next(to: "/things")
        sent.answer(200)
        #expect(try await answer.1.statusCode == 200)
    }

    /// `URLSession` keeps to a number of connections for each host; a refresh in that queue would wait for ever.
    @Test func `a refresh does not wait behind the requests that wait for it`() async throws {
        let refresh = DispatchGroup()
        refresh.enter()
        let backend = try StreamingBackend { backend, head, connection in
            if head.token == "access-1" { return connection.send(StreamingBackend.json("{}")) }
            // All connections stay taken: the refusal's body is held back until the refresh has come through.
            connection.send("HTTP/1.1 401 Unauthorized\r\nContent-Length: 70002\r\n\r\n")
            connection.sendZeros(70_000)
            refresh.wait()
            return connection.send("{}")
        }
        defer { backend.server.stop() }
        let session = try await backend.session()
        let request = try backend.request("/things")
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<16 { group.addTask { try await session.bytes(for: request).1.statusCode } }
            try await backend.until("refresh")
            refresh.leave()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 16))
        #expect(backend.refreshes == 1)
    }

    @Test func `another client gets the token to replay with, by one refresh for all callers`() async throws {
        let session = try await bench.expiredSession()
        let old = try await session.accessToken()
        bench.clock.advance(by: .seconds(60))
        let refreshes = bench.backend.counts.refreshes
        async let first = session.accessToken(replacing: old)
        async let second = session.accessToken(replacing: old)
        let (one, two) = try await (first, second)
        #expect(one != old && one == two)
        #expect(bench.backend.counts.refreshes == refreshes + 1)
        let third = try await session.accessToken(replacing: old)
        #expect(third == one, "without another refresh")
        let newest = try #require(one)
        let none = try await session.accessToken(replacing: newest)
        #expect(none == nil, "a token this young is not the reason")
        #expect(bench.backend.counts.refreshes == refreshes + 1)

        let attached = try session.attach(newest, to: bench.request())
        #expect(attached.value(forHTTPHeaderField: "Authorization") == "Bearer \(newest.value)")
        let elsewhere = URLRequest(url: try Fixtures.url("https://other.example/"))
        #expect(try session.attach(newest, to: elsewhere) == elsewhere)
    }
}
