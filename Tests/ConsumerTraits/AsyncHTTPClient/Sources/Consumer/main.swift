// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import AsyncHTTPClient
import Foundation
import FreshetAsyncHTTPClient
import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// An app whose requests and sockets go over SwiftNIO, against a backend on this machine.

struct Failure: Error { var what: String }

func expect(_ holds: Bool, _ what: String) throws {
    if !holds { throw Failure(what: what) }
}

let backend = try Backend()
let base = backend.base
let transport = AsyncHTTPClientTransport()

func signedIn(_ transport: AsyncHTTPClientTransport = transport) async throws -> AuthSession {
    var configuration = AuthSession.Configuration()
    configuration.contractValues = ["client_id": "app"]
    let session = try AuthSession(
        contract: .oauth2,
        baseURL: base,
        store: InMemoryStore(),
        configuration: configuration,
        transport: transport
    )
    try await session.signIn(.tokens(TokenGrant(accessToken: "old", refreshToken: "r", expiresIn: .seconds(600))))
    return session
}

func request(_ path: String) -> URLRequest { URLRequest(url: base.appending(path: path)) }

do {
    let (data, response) = try await signedIn().data(for: request("things"))
    try expect(response.statusCode == 200 && data == Data("{}".utf8), "a refused request is refreshed and replayed")
    try expect(backend.seen == ["/things old", "/oauth/token -", "/things new"], "in this order: \(backend.seen)")

    // More streams than the client has connections for a host, all refused and none read to its end.
    let session = try await signedIn()
    var statuses: Set<Int> = []
    try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<12 { group.addTask { try await session.bytes(for: request("refused")).1.statusCode } }
        for try await status in group { statuses.insert(status) }
    }
    try expect(statuses == [200], "a refresh does not wait behind the requests that wait for it: \(statuses)")

    let before = backend.seen.count
    let own = try await signedIn()
    let answer = try await transport.execute(
        HTTPClientRequest(url: request("things").url?.absoluteString ?? ""),
        for: own
    )
    try expect(answer.status == .ok, "AsyncHTTPClient's own request is refreshed and replayed")
    try expect(
        Array(backend.seen.dropFirst(before)) == ["/things old", "/oauth/token -", "/things new"],
        "in this order: \(backend.seen.dropFirst(before))"
    )

    let file = FileManager.default.temporaryDirectory.appending(path: "upload-\(UUID().uuidString)")
    try Data(count: 32 * 1024 * 1024).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let (told, _) = try await signedIn().upload(for: request("files"), fromFile: file)
    try expect(String(decoding: told, as: UTF8.self) == "33554432", "a file refused half-way is sent whole again")

    let (bytes, _) = try await session.bytes(for: request("large"))
    backend.sent = 0
    var iterator = bytes.makeAsyncIterator()
    var count = try await iterator.next()?.count ?? 0
    // The server has the time of a hundred other answers to send what it can.
    for _ in 0..<100 { _ = try await session.data(for: request("things")) }
    try expect(backend.sent < 32 * 1024 * 1024, "a slow reader makes the server wait: \(backend.sent) sent")
    while let chunk = try await iterator.next() { count += chunk.count }
    try expect(count == Backend.large, "and gets everything")

    let (place, moved) = try await session.download(for: request("moved"))
    try FileManager.default.removeItem(at: place)
    try expect(moved.statusCode == 302, "a redirect to nowhere is handed over")

    // The app's own configuration follows redirects; the session's client does not.
    var configuration = HTTPClient.Configuration()
    configuration.redirectConfiguration = .follow(max: 5, allowCycles: false)
    let follower = AsyncHTTPClientTransport(configuration: configuration)
    let handedOver = try await follower.execute(
        HTTPClientRequest(url: request("moved").url?.absoluteString ?? ""),
        for: session
    )
    try expect(handedOver.status == .found, "a redirect is the caller's: \(handedOver.status)")
    try await follower.shutdown()

    // A backend without WebSockets refuses the handshake.
    let socket = try session.socket(request("feed").url, transport: NIOWebSocketTransport())
    await socket.connect()
    for await state in socket.states {
        if case .waiting = state { break }
    }
    await socket.close()
    try await transport.shutdown()
    print("an app with AsyncHTTPClient builds and runs")
} catch {
    print("failed: \(error)")
    exit(1)
}
