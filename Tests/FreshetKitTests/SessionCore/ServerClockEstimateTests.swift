// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetAppBackends
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

@Suite struct `The server's clock` {
    private let noon = 1_800_000_000.0

    @Test func `the server clock estimate is exact to the round trip plus one second`() throws {
        var clock = ServerClockEstimate()
        clock.addSample(noon, sentAt: .seconds(10), receivedAt: .seconds(12))
        let offset = try #require(clock.offset)
        #expect(offset == (noon - 12)...(noon - 9))
        // At the moment of receipt it may show anything from then on to the whole round trip and a second later.
        #expect(clock.time(at: .seconds(12)) == noon + 1.5)
    }

    @Test func `a faster response narrows the server clock estimate, and a slow one does not widen it`() throws {
        var clock = ServerClockEstimate()
        clock.addSample(noon, sentAt: .zero, receivedAt: .seconds(8))
        clock.addSample(noon + 20, sentAt: .milliseconds(19_900), receivedAt: .seconds(20))
        let offset = try #require(clock.offset)
        #expect(offset.upperBound - offset.lowerBound < 1.11)
        clock.addSample(noon + 30, sentAt: .seconds(22), receivedAt: .seconds(31))
        let narrow = try #require(clock.offset)
        #expect(narrow.upperBound - narrow.lowerBound <= offset.upperBound - offset.lowerBound)
    }

    @Test func `the server clock estimate follows a change of the server's clock`() {
        var clock = ServerClockEstimate()
        clock.addSample(noon, sentAt: .zero, receivedAt: .seconds(1))
        clock.addSample(noon + 86_400, sentAt: .seconds(2), receivedAt: .seconds(3))
        #expect(clock.time(at: .seconds(3)) == noon + 86_400 + 1)
    }

    @Test func `invalid time samples do not change the server clock estimate`() {
        var clock = ServerClockEstimate()
        clock.addSample(.nan, sentAt: .zero, receivedAt: .seconds(1))
        clock.addSample(noon, sentAt: .seconds(2), receivedAt: .seconds(1))
        #expect(clock.offset == nil)
    }

    @Test(.timeLimit(.minutes(5))) func `a session reports the server's time, regardless of the device's wall clock`()
        async throws
    {
        let clock = TestClock()
        let backend = AppBackend(.creatist, clock: clock)
        clock.moveWallClock(by: -86_400 * 400)
        let session = try AuthSession(
            contract: .named("creatist"),
            baseURL: Fixtures.base(),
            store: InMemoryStore(),
            transport: backend,
            clock: clock
        )
        #expect(session.serverTime == nil)
        try await session.signIn(.test)
        clock.advance(by: .seconds(100))
        let told = try #require(session.serverTime)
        #expect(abs(told.timeIntervalSince1970 - (noon + 100)) <= 1)
    }
}

@Suite struct `Lifetime of a JWT` {
    private func times(_ issuedAt: Double?, _ expiresAt: Double) throws -> JWTTimes {
        let claims = issuedAt.map { #"{"iat":\#($0),"exp":\#(expiresAt)}"# } ?? #"{"exp":\#(expiresAt)}"#
        return try #require(JWTTimes("e30.\(Data(claims.utf8).base64EncodedString()).x"))
    }

    @Test func `the lifetime of a JWT counts from the server's time if the token was issued before`() throws {
        #expect(try times(1000, 1600).lifetime(serverTime: 1400) == 200)
    }

    @Test(arguments: [nil, 900.0, 1600, 99_999])
    func `the lifetime of a JWT counts from its issue time if the server's time is unknown or implausible`(
        serverTime: Double?
    ) throws {
        #expect(try times(1000, 1600).lifetime(serverTime: serverTime) == 600)
    }

    @Test func `the lifetime of a JWT is unknown if the issue time and the server's time are both missing`() throws {
        #expect(try times(nil, 1600).lifetime(serverTime: 1000) == 600)
        #expect(try times(nil, 1600).lifetime(serverTime: nil) == nil)
    }
}
