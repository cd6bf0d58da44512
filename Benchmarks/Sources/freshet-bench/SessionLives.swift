// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetAsyncHTTPClient
import FreshetKit
import FreshetOutbox

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sessions from their sign-in to their sign-out, one after the other, with a server.
///
/// For a program that looks for leaks in this process and in the server's.
struct SessionLives {
    let url: URL
    let count: Int

    init(_ arguments: ArraySlice<String>) throws {
        let arguments = Array(arguments)
        guard arguments.count == 2, let port = UInt16(arguments[0]), let count = Int(arguments[1]),
            let url = URL(string: "http://127.0.0.1:\(port)")
        else { throw BenchmarkError("freshet-bench lives PORT COUNT") }
        (self.url, self.count) = (url, count)
    }

    func run() async throws {
        let transport = AsyncHTTPClientTransport()
        for number in 0..<count {
            // Foundation's transport and SwiftNIO's in turn.
            if number.isMultiple(of: 2) {
                try await live(number, over: URLSessionTransport())
            } else {
                try await live(number, over: transport)
            }
        }
        try await transport.shutdown()
    }

    /// Signs up, follows the states and events, sends requests, refreshes, opens a socket, uses an outbox and signs out.
    private func live(_ number: Int, over transport: any HTTPTransport) async throws {
        let session = try AuthSession(baseURL: url, store: InMemoryStore(), transport: transport)
        let followers = [Task { for await _ in session.states {} }, Task { for await _ in session.events {} }]
        try await session.signUp(email: "person\(number)@bench.example.com", password: "correct horse battery")
        let request = URLRequest(url: url.appending(path: "v1/me"))
        try await send(request, by: session)
        try await session.refresh()
        try await send(request, by: session)
        let socket = try session.socket(transport: NIOWebSocketTransport())
        await socket.connect()
        for await state in socket.states {
            if case .open = state { break }
            if case .closed(let reason) = state { throw BenchmarkError("the socket was closed: \(reason)") }
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "freshet-bench-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let outbox = try session.outbox(directory: folder)
        try await outbox.enqueue(request)
        await outbox.flush()
        await socket.close()
        try await session.signOut()
        for follower in followers { follower.cancel() }
    }

    private func send(_ request: URLRequest, by session: AuthSession) async throws {
        let (_, response) = try await session.data(for: request)
        guard response.statusCode == 200 else { throw BenchmarkError("\(response.statusCode) to GET /v1/me") }
    }
}
