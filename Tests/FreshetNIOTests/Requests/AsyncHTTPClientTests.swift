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

/// Effects that an app's own AsyncHTTPClient configuration must not have.
@Suite(.timeLimit(.minutes(5))) struct `AsyncHTTPClient transport` {
    /// Where the token travels in a header that no client knows to be secret.
    private static let contract = """
        {"contract": 1, "name": "keyed", "endpoints": {"refresh": {"path": "/token",
        "json": {"refresh_token": "$refresh_token"}}}, "reply": {"access": "/access_token",
        "refresh": "/refresh_token", "expiry": [{"in": "/expires_in", "unit": "s"}]},
        "attach": {"header": "X-Key", "scheme": ""}, "rotation": "optional"}
        """

    private func session(_ backend: RawBackend, over transport: any HTTPTransport) async throws -> AuthSession {
        let session = try AuthSession(
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

    @Test func `body streams that wait for data do not block the upload of a file`() async throws {
        let (heads, head) = AsyncStream<String>.makeStream()
        let backend = try RawBackend {
            head.yield($0.path)
            return $1.send(RawBackend.ok)
        }
        defer { backend.stop() }
        let folder = FileManager.default.temporaryDirectory.appending(path: "streams-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // To open a pipe without a writer takes as long as it takes.
        let pipe = folder.appending(path: "pipe").path
        try #require(mkfifo(pipe, 0o600) == 0)
        let transport = AsyncHTTPClientTransport()
        var arrived = heads.makeAsyncIterator()
        // More than NIO has threads for what blocks.
        let count = System.coreCount * 4
        let uploads = (0..<count).map { _ in
            Task {
                var request = URLRequest(url: try backend.base.appending(path: "stream"))
                request.httpMethod = "POST"
                request.httpBodyStream = InputStream(fileAtPath: pipe)
                return try await transport.data(for: request)
            }
        }
        for _ in 0..<count { _ = await arrived.next() }
        let file = folder.appending(path: "file")
        try Data("things".utf8).write(to: file)
        var request = URLRequest(url: try backend.base.appending(path: "file"))
        request.httpMethod = "POST"
        // Of its own: the other's connections are taken.
        let (body, response) = try await AsyncHTTPClientTransport().send(request, body: .file(file))
        #expect(response.statusCode == 200)
        #expect(try await body.data(of: response) == Data("ok".utf8))
        // For reading as well, so that it opens whether or not the streams still wait; then they read to the end.
        let writer = open(pipe, O_RDWR)
        for upload in uploads { upload.cancel() }
        close(writer)
        for upload in uploads { _ = try? await upload.value }
    }

    @Test(arguments: [false, true])
    func `a token in a custom header is not sent to another origin, even if the app's client follows redirects`(
        isClients: Bool
    ) async throws {
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
    func `a response with a status below 100 fails only its own request`(status: String) async throws {
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

    @Test func `a released transport shuts its clients down only after the last response body`() async throws {
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
