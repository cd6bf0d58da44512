// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import FreshetNIO
import FreshetWire
import NIOCore
import Testing

@testable import freshet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Failures that sign users out of other systems, with the real client and the real server.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct `Survival` {
    @Test(arguments: ["URLSession", "NIO"])
    func `a session stays signed in after lost refresh responses and a restart from its store`(name: String)
        async throws
    {
        try await TestEnvironment.live { world in
            let transport: any HTTPTransport = name == "NIO" ? NIOTransport() : URLSessionTransport()
            let session = try await world.signedIn(store: world.store(), transport: transport)
            for round in 1...3 {
                world.network.setFaultMode(.dropping(4))
                try await session.refresh()
                #expect(session.status.generation == UInt64(round))
            }
            #expect(world.network.counts.answersLost == 12)

            let restarted = try AuthSession(baseURL: try world.address, store: world.store())
            #expect(restarted.state == .active)
            try await restarted.refresh()
            #expect(try await restarted.data(for: world.request()).1.statusCode == 200)
            #expect(world.counts.ends.isEmpty)
        }
    }

    @Test func `a session stays signed in after repeated interruptions between the server's commit and the local save`()
        async throws
    {
        try await TestEnvironment.live { world in
            var events = world.network.events.makeAsyncIterator()
            try await world.signedIn(store: world.store()).signOut()
            let first = try AuthSession(baseURL: try world.address, store: world.store())
            try await first.signIn(.password(email: "ann@example.com", password: "correct horse"))
            for _ in 0..<5 {
                // A process whose answer never comes, and that is never heard of again.
                world.network.setFaultMode(.dropping(.max))
                let lost = try AuthSession(baseURL: try world.address, store: world.store())
                let attempt = Task { try? await lost.refresh() }
                while await events.next() != .answerLost {}
                attempt.cancel()
                world.network.setFaultMode(.passThrough)
                let next = try AuthSession(baseURL: try world.address, store: world.store())
                try await next.refresh()
            }
            #expect(world.counts.ends == ["logout": 1])
        }
    }

    @Test func `a late duplicate of a refresh is refused as superseded, and the session stays signed in`() async throws
    {
        try await TestEnvironment.live { world in
            let session = try await world.signedIn()
            for _ in 0..<3 { try await session.refresh() }
            let recorded = try #require(world.network.recordedRefreshes.first)
            let answer = try await RawRequest(server: world.address).repeatRefresh(Data(recorded.readableBytesView))
            #expect(answer == RawRequest.Answer(status: 409, code: "superseded"))
            try await session.refresh()
            #expect(world.counts.superseded == 1)
            #expect(world.counts.ends.isEmpty)
        }
    }

    @Test func `a stolen refresh token works until the owner's next refresh, which ends the session as a fork`()
        async throws
    {
        try await TestEnvironment.live { world in
            let session = try await world.signedIn(store: world.store())
            let loot = try stolenToken(world)
            let theft = try await RawRequest(server: world.address).refresh(loot, .random())
            #expect(theft.answer.status == 200)

            await #expect(throws: SessionError.signedOut(.fork)) { try await session.refresh() }
            #expect(session.state == .signedOut(.fork))
            let again = try await RawRequest(server: world.address).refresh(try #require(theft.successor), .random())
            #expect(again.answer == RawRequest.Answer(status: 400, code: "fork"))
            #expect(world.counts.ends == ["fork": 1])
        }
    }

    @Test func `the owner's refresh ends the session as stale_holder after an attacker refreshed twice`() async throws {
        try await TestEnvironment.live { world in
            let session = try await world.signedIn(store: world.store())
            let raw = RawRequest(server: try world.address)
            let first = try await raw.refresh(try stolenToken(world), .random())
            _ = try await raw.refresh(try #require(first.successor), .random())

            await #expect(throws: SessionError.signedOut(.staleHolder)) { try await session.refresh() }
            #expect(world.counts.ends == ["stale_holder": 1])
        }
    }

    @Test func `a stolen token is refused after the owner refreshed twice, and the owner stays signed in`() async throws
    {
        try await TestEnvironment.live { world in
            let session = try await world.signedIn(store: world.store())
            let loot = try stolenToken(world)
            try await session.refresh()
            try await session.refresh()
            let theft = try await RawRequest(server: world.address).refresh(loot, .random())
            #expect(theft.answer == RawRequest.Answer(status: 409, code: "superseded"))
            try await session.refresh()
        }
    }

    @Test func `a sign-out during a refresh discards the refreshed tokens, and the session stays signed out`()
        async throws
    {
        try await TestEnvironment.live { world in
            let session = try await world.signedIn(store: world.store())
            world.network.setFaultMode(.holding)
            var events = world.network.events.makeAsyncIterator()
            let refresh = Task { try await session.refresh() }
            while await events.next() != .answerHeld {}
            try await session.signOut()
            world.network.setFaultMode(.passThrough)
            await #expect(throws: SessionError.self) { try await refresh.value }
            #expect(session.state == .signedOut(.requested))
            #expect(throws: (any Error).self) { try stolenToken(world) }
            #expect(world.counts.ends == ["logout": 1])
            await #expect(throws: SessionError.self) { try await session.accessToken() }
        }
    }

    @Test func `the next refresh of a session that another device ended fails with the reason`() async throws {
        try await TestEnvironment.live { world in
            let phone = try await world.signedIn()
            let tablet = try AuthSession(baseURL: try world.address, store: InMemoryStore())
            try await tablet.signIn(.password(email: "ann@example.com", password: "correct horse"))
            let id = try #require(tablet.status.sessionID)
            #expect(try await phone.devices().count == 2)
            try await phone.endSession(id: id)
            await #expect(throws: SessionError.signedOut(.revokedByUser)) { try await tablet.refresh() }
            try await phone.signOutEverywhere()
            #expect(!phone.state.isSignedIn)
        }
    }

    @Test func `wrong credentials are refused with invalid_grant, and the session stays signed out`() async throws {
        try await TestEnvironment.live { world in
            let session = try AuthSession(baseURL: try world.address, store: InMemoryStore())
            await #expect {
                try await session.signIn(.password(email: "ann@example.com", password: "wrong horse"))
            } throws: { error in
                if case SessionError.refused(code: "invalid_grant", message: _) = error { true } else { false }
            }
            #expect(!session.state.isSignedIn)
        }
    }

    /// The refresh token in the owner's store.
    private func stolenToken(_ world: TestEnvironment) throws -> String {
        let file = world.folder.appending(path: "stores/owner.session")
        let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        let token = try #require(text.firstMatch(of: /"session":\{.*"refreshToken":"(frt_[^"]+)"/))
        return String(token.1)
    }
}
