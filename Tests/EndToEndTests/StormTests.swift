// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import FreshetNIO
import FreshetTesting
import Testing

@testable import freshet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Many callers at once, over real sockets, counted by the server.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct `Storms` {
    /// Makes `count` calls at once.
    ///
    /// - Returns: How many got which status.
    private func call(_ count: Int, _ session: AuthSession, _ request: URLRequest) async throws -> [Int: Int] {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<count { group.addTask { try await session.data(for: request).1.statusCode } }
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
    }

    @Test func `a thousand callers on an expired token cause one refresh`() async throws {
        try await TestEnvironment.live { world in
            let store = world.store()
            _ = try await world.signedIn(store: store)
            // By this session's clock the stored token is over.
            let clock = TestClock(start: Date(timeIntervalSinceNow: 3600))
            let session = try AuthSession(
                baseURL: try world.address,
                store: store,
                configuration: world.configuration,
                transport: NIOTransport(),
                clock: clock
            )
            let statuses = try await call(1000, session, try world.request())
            #expect(statuses == [200: 1000])
            #expect(world.counts.refreshesServed == 1)
            #expect(session.status.generation == 1)
        }
    }

    @Test(arguments: ["URLSession", "NIO"])
    func `a thousand 401 responses for a token that the server refuses cause one refresh`(name: String) async throws {
        try await TestEnvironment.live { world in
            let transport: any HTTPTransport = name == "NIO" ? NIOTransport() : URLSessionTransport()
            let session = try await world.signedIn(transport: transport)
            world.advanceServer(by: .seconds(601))
            let statuses = try await call(1000, session, try world.request())
            #expect(statuses == [200: 1000])
            #expect(world.counts.refreshesServed == 1)
        }
    }

    @Test func `a resource that always returns 401 causes one refresh and one retry, and the caller gets the 401`()
        async throws
    {
        try await TestEnvironment.live { foreign in
            try await TestEnvironment.live { world in
                // Another server's keys: it takes none of our tokens.
                let session = try await world.signedIn(hosts: ["127.0.0.1:\(foreign.network.port)"])
                #expect(try await session.data(for: foreign.request()).1.statusCode == 401)
                #expect(world.counts.refreshesServed == 1)
                #expect(foreign.counts.requests == 2)

                for _ in 0..<20 { #expect(try await session.data(for: foreign.request()).1.statusCode == 401) }
                #expect(world.counts.refreshesServed <= 2)
                #expect(try await session.data(for: world.request()).1.statusCode == 200)
                #expect(session.state == .active)
            }
        }
    }

    @Test func `two sessions on one store that refresh at the same time both stay signed in`() async throws {
        try await TestEnvironment.live { world in
            let first = try await world.signedIn(store: world.store())
            let second = try AuthSession(
                baseURL: try world.address,
                store: world.store(),
                configuration: world.configuration
            )
            async let one: Void = first.refresh()
            async let two: Void = second.refresh()
            _ = try await (one, two)
            for session in [first, second] {
                #expect(try await session.data(for: world.request()).1.statusCode == 200)
            }
            #expect(world.counts.ends.isEmpty)
        }
    }
}
