// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import HTTPTypes
import PostgresCluster
import ServerFixtures
import Testing

@testable import FreshetDatabase
@testable import FreshetIdentity
@testable import FreshetServer

/// Two servers on one PostgreSQL database, one of them with a wrong clock.
///
/// SQLite has no such case: two servers do not share a file.
@Suite(.timeLimit(.minutes(5)), .enabled(if: PostgresCluster.isWanted, "FRESHET_WITHOUT_POSTGRES is set"))
struct `Servers whose clocks disagree` {
    private static let day = Duration.seconds(86_400)

    @Test(arguments: [40, -40])
    func `a server with a wrong clock on a shared database ends no session and writes plausible times`(days: Int)
        async throws
    {
        let place = try DatabaseEngine.postgres.make()
        let right = ServerUnderTest(database: place.postgres, folder: place.folder)
        let wrong = ServerUnderTest(database: place.postgres, folder: place.folder)
        @Sendable func clocks(_ server: ServerUnderTest) -> ClockSource {
            var source = server.clocks
            source.queriesDatabase = true
            return source
        }
        wrong.jump(by: Self.day * days)
        try await right.run(clocks: clocks(right)) { one in
            #expect(one.parts.clock.isTrusted)
            let first = try await one.signUp().refreshToken
            let other = try await one.signIn()
            try await wrong.run(clocks: clocks(wrong)) { two in
                #expect(!two.parts.clock.isTrusted)
                #expect(abs(two.parts.clock().seconds - right.readClock().seconds) < 300)
                var token = first
                for caller in [two, one, two, one] {
                    let answer = try await caller.refresh(token, .random())
                    #expect(answer.status == 200, "\(answer.error)")
                    let grant: SessionTokens = try answer.json()
                    token = grant.refreshToken
                    // A token of either is good at both.
                    for server in [one, two] {
                        #expect(try await server.send(.get, NativePath.me, bearer: grant.accessToken).status == 200)
                    }
                }
                let begun = try await two.signIn()
                #expect(try await one.refresh(begun.refreshToken, .random()).status == 200)
                let rows = try await one.database.read {
                    try SessionTable.live(of: other.userID, at: right.readClock(), in: $0)
                }
                #expect(rows.count == 3)
                for row in rows {
                    #expect(abs((row.lastUsedAt - right.readClock()).milliseconds) < 300_000)
                    #expect(row.idleExpiry - right.readClock() >= Self.day * 29)
                }
                // The wrong one never becomes trusted while the database's clock says otherwise.
                wrong.advance(by: ClockTrust.settlingPeriod + ClockTrust.settlingPeriod)
                try await two.parts.clock.synchronize(with: two.database, stores: true)
                #expect(!two.parts.clock.isTrusted)
                // A session that its user ended at one server is ended at the other.
                _ = try await two.present(NativePath.logout, other.refreshToken)
                #expect(try await one.refresh(other.refreshToken, .random()).error == "400 invalid_grant logout")
                wrong.jump(by: Self.day * -days)
            }
        }
    }

    @Test func `a wrong database clock makes the server's clock untrusted but does not change its time`() async throws {
        let place = try DatabaseEngine.postgres.make()
        let server = ServerUnderTest(database: place.postgres, folder: place.folder)
        var source = server.clocks
        source.queriesDatabase = true
        // Both of the server's clocks go on, and the database's does not.
        try await server.run(clocks: source) { caller in
            let grant = try await caller.signUp()
            server.advance(by: .seconds(3600))
            let answer = try await caller.refresh(grant.refreshToken, .random())
            #expect(answer.status == 200)
            try await caller.parts.clock.synchronize(with: caller.database, stores: true)
            #expect(!caller.parts.clock.isTrusted)
            #expect(abs(caller.parts.clock().seconds - server.readClock().seconds) < 300)
        }
    }
}

extension SessionTokens {
    fileprivate var userID: UUID { UUID(uuidString: user.id) ?? UUID() }
}
