// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import FreshetNIO
import Testing

@testable import freshet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// BitBasel's feed: the SDK's socket at our own server.
@Suite(.timeLimit(.minutes(5)), .serialized) struct `BitBasel's feed` {
    private struct Tick: Decodable {
        var type: String
        var number: Int
    }

    /// Reads ticks until `isEnough`, and makes sure that none is missing within a connection.
    private func read(
        _ feed: SessionSocket,
        until isEnough: (_ connection: Int, _ number: Int) async throws -> Bool
    ) async throws {
        var last: (connection: Int, number: Int)?
        for await message in feed.messages {
            let tick = try JSONDecoder().decode(Tick.self, from: message.data)
            if let last, last.connection == message.connection {
                #expect(tick.number == last.number + 1, "a message is missing within a connection")
            }
            last = (message.connection, tick.number)
            if try await isEnough(message.connection, tick.number) { return }
        }
        Issue.record("the feed ended: \(feed.state)")
    }

    @Test func `a feed continues when its tokens expire`() async throws {
        let server = try FeedServer()
        let (process, address) = try await server.start(accessTTL: "2s")
        let session = try await server.signedIn(at: address)
        let feed = try session.socket(transport: NIOWebSocketTransport())
        try await read(feed) { connection, _ in connection == 3 }
        // Each connection lasts as long as its token at most.
        #expect(session.statistics.refreshes >= 2)
        #expect(session.state.isSignedIn)
        await feed.close()
        await process.terminate()
    }

    @Test func `a feed ends when the session is ended elsewhere, with the reason`() async throws {
        let server = try FeedServer()
        let (process, address) = try await server.start(accessTTL: "10m")
        let session = try await server.signedIn(at: address)
        let feed = try session.socket(transport: NIOWebSocketTransport())
        let states = feed.states
        try await read(feed) { _, _ in true }
        // An end comes behind messages, and is not read as long as too many of them wait to be taken.
        async let rest = feed.messages.reduce(0) { count, _ in count + 1 }
        // A client with the session's token may end it: here the same user at another place.
        var request = URLRequest(url: address.appending(path: "v1/logout-all"))
        request.httpMethod = "POST"
        let token = try await session.accessToken().value
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        let (_, response) = try await URLSessionTransport.shared.data(for: request)
        #expect(response.statusCode == 204)
        for await state in states { if case .closed = state { break } }
        _ = await rest
        guard case .signedOut(_?) = session.state else {
            Issue.record("\(session.state)")
            return
        }
        await process.terminate()
    }

    @Test func `a feed reconnects after its server is killed and restarted`() async throws {
        let server = try FeedServer()
        let (first, address) = try await server.start(accessTTL: "10m")
        let session = try await server.signedIn(at: address)
        let feed = try session.socket(transport: NIOWebSocketTransport())
        let port = try #require(address.port)
        var second: ChildProcess?
        try await read(feed) { connection, number in
            if connection == 1, second == nil, number >= 2 {
                await first.kill()
                second = try await server.start(port: port, accessTTL: "10m").process
            }
            return connection == 2
        }
        #expect(session.state.isSignedIn)
        await feed.close()
        await second?.terminate()
    }
}
