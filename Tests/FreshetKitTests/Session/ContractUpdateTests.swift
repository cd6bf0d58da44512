// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import FreshetWire
import SessionFixtures
import Testing

@testable import FreshetKit

/// An update of an app from a served contract to the native one.
@Suite(.timeLimit(.minutes(5))) struct `Sessions after a contract update` {
    let bench = SessionFixture()
    let store = InMemoryStore()
    let transport = ManualTransport()
    let id = "01010101-0101-0101-0101-010101010101"

    private func token(_ generation: UInt64) -> String {
        Fixtures.refreshToken(generation, of: SessionID(id))
    }

    private func signIn(generation: UInt64 = 0) async throws {
        let session = try bench.session(contract: try .named("creatist"), store: store, transport: transport)
        async let signedIn = session.signIn(.password(email: "ann@example.com", password: "secret"))
        let json = #"{"access_token":"first","refresh_token":"\#(token(generation))","expires_in":600}"#
        try await transport.next(to: "/auth/login").answer(200, json: json)
        _ = try await signedIn
        bench.clock.advance(by: .seconds(601))
    }

    private func grant(_ session: String, _ generation: UInt64, of other: SessionID? = nil) -> String {
        let token = other.map { Fixtures.refreshToken(generation, of: $0) } ?? token(generation)
        return """
            {"access_token":"access-\(generation)","token_type":"Bearer","expires_in":600,"refresh_token":"\(token)",\
            "refresh_expires_in":86400,"session_id":"\(session)","user":{"id":"1","email":"ann@example.com"}}
            """
    }

    @Test func `a session from a served contract continues after the app updates to the native contract`() async throws
    {
        try await signIn()
        let before = try #require(try store.read()?.session)
        let updated = try bench.session(store: store, transport: transport)
        for generation in 1...2 as ClosedRange<UInt64> {
            async let token = updated.accessToken()
            let refresh = try await transport.next(to: "/v1/refresh")
            refresh.answer(200, json: grant(id, generation))
            #expect(try await token.value == "access-\(generation)")
            try await transport.next(to: "/v1/confirm").answer(204)
            bench.clock.advance(by: .seconds(601))
        }
        let after = try #require(try store.read()?.session)
        #expect(after.id == before.id && after.generation == before.generation + 2)
        #expect(after.refreshToken == token(2))
    }

    @Test func `a refresh after an app update rejects the tokens of another session`() async throws {
        try await signIn()
        let updated = try bench.session(store: store, transport: transport)
        async let failed = failure { try await updated.accessToken() }
        let otherID = "02020202-0202-0202-0202-020202020202"
        let other = SessionID(otherID)
        try await transport.next(to: "/v1/refresh").answer(200, json: grant(otherID, 1, of: other))
        let error = await failed
        #expect(error == .invalidResponse("the answer is for another session"))
        #expect(try store.read()?.session?.refreshToken == token(0))
    }

    /// The device has counted none of the refreshes that led to the token.
    @Test(arguments: [4, 5] as [UInt64])
    func `a refresh after an app update rejects tokens of an earlier or the same generation`(
        generation: UInt64
    ) async throws {
        try await signIn(generation: 5)
        let updated = try bench.session(store: store, transport: transport)
        async let failed = failure { try await updated.accessToken() }
        try await transport.next(to: "/v1/refresh").answer(200, json: grant(id, generation))
        #expect(await failed == .invalidResponse("the answer is for another session"))
        #expect(try store.read()?.session?.refreshToken == token(5))
    }

    /// A device restored from a backup, whose store cannot be written, presents the stored token with its intent again.
    @Test func `two grants for the same refresh token count as one generation`() async throws {
        try await signIn()
        let unreliable = UnreliableStore(store)
        let updated = try bench.session(store: unreliable, transport: transport)
        for _ in 1...2 {
            async let refreshed: Void = updated.refresh()
            let refresh = try await transport.next(to: "/v1/refresh")
            unreliable.writeFault = SessionStoreError(.locked, "the device is locked")
            refresh.answer(200, json: grant(id, 1))
            try await refreshed
        }
        // Another process stores the token, and refreshes it.
        let record = try #require(try store.read())
        var newer = try #require(record.session)
        newer.refreshToken = token(2)
        newer.generation += 2
        #expect(try store.replace(record, with: record.with(newer)))
        unreliable.writeFault = nil
        await updated.driver.save()
        #expect(try store.read()?.session?.refreshToken == token(2))
    }
}
