// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(
    .enabled(if: RealBackend.areWanted, "make test-backends"),
    .timeLimit(.minutes(5)),
    .serialized
)
struct `Access tokens of real backends` {
    /// Long enough for a slow machine to use one, short enough to wait for its end.
    private static let short = ["--access-seconds", "3"]

    @Test(arguments: BackendKind.allCases)
    func `concurrent requests with an expired access token cause one refresh, and all succeed`(kind: BackendKind)
        async throws
    {
        let backend = try await RealBackend.shared(kind, Self.short)
        let transport = RecordingTransport()
        let session = try await backend.signedIn(transport: transport)
        #expect(try await session.status(of: backend.resource) == 200)
        let refused = try await backend.refusal(of: session.accessToken().value)
        #expect(refused.status == 401)

        await transport.forget()
        let request = backend.resource
        let clock = ContinuousClock()
        let start = clock.now
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<10 { group.addTask { try await session.status(of: request) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 10))
        #expect(await transport.mostExchangesAtOnce == 1)
        // On a machine that stands still for a while, a token may end before all have used it.
        let exchanges = await transport.exchanges
        #expect(
            exchanges.allSatisfy { $0 == 200 } && (1...Self.mostEnds(in: clock.now - start)).contains(exchanges.count)
        )
        #expect(session.state == .active)

        // And once more, from the tokens that the refresh brought.
        #expect(try await backend.refusal(of: session.accessToken().value).status == 401)
        await transport.forget()
        #expect(try await session.status(of: request) == 200)
        #expect(await transport.exchanges == [200])
    }

    /// How many tokens may end within a time, the first at its beginning.
    private static func mostEnds(in time: Duration) -> Int { 1 + Int(time / .seconds(2)) }

    @Test(arguments: BackendKind.allCases)
    func `an unexpectedly expired access token is refreshed, and the request is repeated once`(
        kind: BackendKind
    ) async throws {
        let backend = try await RealBackend.shared(kind, Self.short)
        let tokens = try await backend.tokens()
        #expect(try await backend.refusal(of: tokens.access).status == 401)
        let transport = RecordingTransport()
        // For the session it is new: how long it lives counts from now on.
        let session = try await backend.holding(tokens, transport: transport)
        #expect(try await session.status(of: backend.resource) == 200)
        #expect(await transport.calls == [401, 200])
        #expect(await transport.exchanges == [200])
    }

    @Test(arguments: BackendKind.allCases)
    func `a malformed access token causes one refresh, and the request succeeds`(kind: BackendKind) async throws {
        let backend = try await RealBackend.shared(kind)
        let tokens = Tokens(access: "garbage", refresh: try await backend.tokens().refresh)
        let transport = RecordingTransport()
        let session = try await backend.holding(tokens, transport: transport)
        #expect(try await session.status(of: backend.resource) == 200)
        #expect(await transport.calls == [kind == .flaskJWTExtended ? 422 : 401, 200])
        #expect(await transport.exchanges == [200])
    }

    @Test func `an access token signed with another key is refreshed after Flask's 422 response`() async throws {
        // Each has a key of its own.
        let stranger = try await RealBackend.shared(.flaskJWTExtended, Self.short)
        let backend = try await RealBackend.shared(.flaskJWTExtended)
        let strange = try await stranger.tokens().access
        let tokens = Tokens(access: strange, refresh: try await backend.tokens().refresh)
        let transport = RecordingTransport()
        let session = try await backend.holding(tokens, transport: transport)
        #expect(try await session.status(of: backend.resource) == 200)
        #expect(await transport.calls == [422, 200])
    }

    @Test func `a request is repeated after an empty 403 response from Django OAuth Toolkit's decorator`() async throws
    {
        let backend = try await RealBackend.shared(.djangoOAuthToolkit)
        let tokens = Tokens(access: "garbage", refresh: try await backend.tokens().refresh)
        let transport = RecordingTransport()
        let session = try await backend.holding(tokens, transport: transport)
        let request = URLRequest(url: backend.facts.baseURL.appending(path: "plain/me"))
        #expect(try await session.status(of: request) == 200)
        #expect(await transport.calls == [403, 200])
    }
}
