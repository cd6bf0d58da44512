// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Testing

@testable import FreshetKit
@testable import FreshetNIO

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What an app's own AsyncHTTPClient configuration must not bring about.
@Suite(.timeLimit(.minutes(5))) struct `AsyncHTTPClient transport` {
    /// Where the token travels in a header that no client knows to be secret.
    private static let contract = """
        {"contract": 1, "name": "keyed", "endpoints": {"refresh": {"path": "/token",
        "json": {"refresh_token": "$refresh_token"}}}, "reply": {"access": "/access_token",
        "refresh": "/refresh_token", "expiry": [{"in": "/expires_in", "unit": "s"}]},
        "attach": {"header": "X-Key", "scheme": ""}, "rotation": "optional"}
        """

    private func session(_ backend: RawBackend, over transport: any HTTPTransport) async throws -> Session {
        let session = try Session(
            contract: Contract(json: Data(Self.contract.utf8)),
            baseURL: backend.base,
            store: InMemoryStore(),
            transport: transport
        )
        try await session.signIn(
            .tokens(TokenGrant(accessToken: "old", refreshToken: "r", expiresIn: .seconds(600)))
        )
        return session
    }

    @Test(arguments: [false, true])
    func `a token in any header stays at its origin, whatever the app's client follows`(isClients: Bool) async throws {
        let heads = Locked<[String]>([])
        let other = try RawBackend { head, connection in
            heads.withLock { $0.append(head.text.lowercased()) }
            return connection.send(RawBackend.ok)
        }
        defer { other.stop() }
        let place = try other.base.appending(path: "stolen")
        let backend = try RawBackend { _, connection in
            connection.send("HTTP/1.1 302 Found\r\nLocation: \(place.absoluteString)\r\nContent-Length: 0\r\n\r\n")
        }
        defer { backend.stop() }
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .follow(max: 5, allowCycles: false)
        let transport = AsyncHTTPClientTransport(configuration: configuration)
        let session = try await session(backend, over: transport)
        let url = try backend.base.appending(path: "things")
        if isClients {
            let answer = try? await transport.execute(HTTPClientRequest(url: url.absoluteString), for: session)
            #expect(answer?.status == .found, "a redirect is the caller's")
            #expect(heads.withLock { $0 } == [])
        } else {
            let response = try? await session.data(for: URLRequest(url: url)).1
            #expect(response?.statusCode == 200)
            #expect(heads.withLock { $0 }.count == 1, "the session follows")
        }
        #expect(heads.withLock { $0 }.allSatisfy { !$0.contains("x-key") }, "and leaves the token behind")
    }

    @Test func `a refused request is not replayed with the token of the next session`() async throws {
        let (arrivals, arrival) = AsyncStream<LoopbackConnection>.makeStream()
        let backend = try RawBackend { head, connection in
            guard head.token == "old" else { return connection.send(RawBackend.ok) }
            arrival.yield(connection)
            return true
        }
        defer { backend.stop() }
        let transport = AsyncHTTPClientTransport()
        let session = try await backend.session(over: transport)
        let url = try backend.base.appending(path: "things").absoluteString
        let call = Task { try await transport.execute(HTTPClientRequest(url: url), for: session) }
        let held = try #require(await arrivals.first { _ in true })
        try await session.signIn(
            .tokens(TokenGrant(accessToken: "next", refreshToken: "another", expiresIn: .seconds(600)))
        )
        held.send("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")
        await #expect(throws: SessionError.signedOut(.replaced)) { try await call.value }
        #expect(!backend.seen.contains("next"))
    }

    /// AsyncHTTPClient takes a status below 100 for an informational one, and traps at the end of the message.
    ///
    /// When this fails, a version of it no longer does: `ResponseStatusHandler` and the note in SECURITY.md can go.
    @Test func `AsyncHTTPClient by itself traps on status 000`() async {
        await #expect(processExitsWith: .success) { await BareClient.get(status: "200") }
        await #expect(processExitsWith: .failure) { await BareClient.get(status: "000") }
    }

    @Test(arguments: ["000", "001", "099"])
    func `a status below 100 fails its request alone`(status: String) async throws {
        let backend = try RawBackend { _, connection in
            connection.send("HTTP/1.1 \(status) None\r\nContent-Length: 0\r\n\r\n")
        }
        defer { backend.stop() }
        let transport = AsyncHTTPClientTransport()
        let request = URLRequest(url: try backend.base)
        for _ in 0..<3 {
            await #expect(throws: HTTPParserError.invalidStatus) { try await transport.data(for: request) }
            await #expect(throws: HTTPParserError.invalidStatus) {
                try await transport.exchange(request, deadline: .seconds(60))
            }
        }
    }

    @Test func `a transport that is released ends its clients after the last body`() async throws {
        let backend = try RawBackend { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n") && connection.sendZeros(1_000_000)
        }
        defer { backend.stop() }
        let request = URLRequest(url: try backend.base)
        for _ in 0..<20 {
            let bytes = try await AsyncHTTPClientTransport().send(request, body: .inRequest).0
            #expect(try await bytes.data().count == 1_000_000)
        }
    }
}

/// A client without this package, for processes of its own.
private enum BareClient {
    static func get(status: String) async {
        let client = HTTPClient(eventLoopGroupProvider: .singleton)
        let backend = try? RawBackend { _, connection in
            connection.send("HTTP/1.1 \(status) None\r\nContent-Length: 0\r\n\r\n")
        }
        if let base = try? backend?.base.absoluteString {
            _ = try? await client.execute(HTTPClientRequest(url: base), timeout: .seconds(60))
        }
        try? await client.shutdown()
    }
}
