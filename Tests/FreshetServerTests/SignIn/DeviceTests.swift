// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import HTTPTypes
import ServerFixtures
import Testing

@testable import FreshetIdentity
@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `A user's devices` {
    let server = ServerUnderTest()
    private let phone = Device(name: "Ann's phone", platform: "iOS", model: "iPhone17,1", app: "app")
    private let laptop = Device(name: "Ann's laptop", platform: "macOS", model: "Mac16,1", app: "app")

    @Test func `a user's sessions are listed with place, sign-in method and device, and the current one is marked`()
        async throws
    {
        try await server.run(server.behindProxy) { caller async throws in
            _ = try await caller.signUp(device: phone)
            server.advance(by: .seconds(60))
            let second: SessionTokens = try await caller.signIn(
                password: "correct horse",
                device: laptop,
                from: "192.0.2.66, 2001:db8:1:2::3"
            ).json()
            let list = try await caller.sessions(second)
            #expect(list.map(\.place) == ["2001:db8:1:2::/64", "127.0.0.1"])
            #expect(list.map(\.signedInBy) == ["password", "password"])
            #expect(list.map(\.current) == [true, false])
            #expect(list.map(\.device) == [laptop, phone])
            #expect(list[0].createdAt - list[1].createdAt == 60)
        }
    }

    @Test func `a user ends all sessions except the current one`() async throws {
        try await server.run { caller async throws in
            let others = [try await caller.signUp(), try await caller.signIn()]
            let own = try await caller.signIn()
            #expect(try await caller.send(.post, NativePath.logoutOthers, bearer: own.accessToken).status == 204)
            for other in others {
                let refresh = try await caller.refresh(other.refreshToken, .random())
                #expect(refresh.error == "400 invalid_grant revoked_by_user")
                #expect(try await caller.send(.get, NativePath.me, bearer: other.accessToken).status == 401)
            }
            #expect(try await caller.sessions(own).map(\.id) == [own.sessionID])
            #expect(try await caller.send(.post, NativePath.logoutOthers).error == "401 invalid_token")
        }
    }

    @Test func `sessions above a user's limit end, least recently used first, with the reason`()
        async throws
    {
        var configuration = server.configuration
        configuration.signIn.sessionsPerUser = 2
        try await server.run(configuration) { caller async throws in
            let first = try await caller.signUp()
            let stranger = try await caller.signUp("bob@example.com")
            server.advance(by: .seconds(10))
            let second = try await caller.signIn()
            server.advance(by: .seconds(10))
            let refreshed: SessionTokens = try await caller.refresh(first.refreshToken, .random()).json()
            server.advance(by: .seconds(10))
            let third = try await caller.signIn()
            let ended = try await caller.refresh(second.refreshToken, .random())
            #expect(ended.error == "400 invalid_grant session_limit")
            #expect(try await caller.send(.get, NativePath.me, bearer: second.accessToken).status == 401)
            #expect(try await Set(caller.sessions(third).map(\.id)) == [refreshed.sessionID, third.sessionID])
            #expect(try await caller.refresh(stranger.refreshToken, .random()).status == 200)
        }
        configuration.signIn.sessionsPerUser = 0
        #expect(throws: IdentityStartupError.sessionLimitNotPositive) { try configuration.validate() }
    }

    @Test func `new devices are reported by mail, once each, and never the first`() async throws {
        try await server.run(server.behindProxy) { caller async throws in
            func mails() -> Int { caller.log.messages.count { $0 == "new device" } }
            _ = try await caller.signUp(device: phone)
            #expect(mails() == 0)
            _ = try await caller.signIn(password: "correct horse", device: laptop)
            #expect(mails() == 1)
            #expect(caller.log.lines.last { $0["message"] == "new device" }?["email"] == "ann@example.com")
            // Another name or version is no other device; the first one is known.
            var renamed = laptop
            renamed.name = "Work"
            renamed.appVersion = "2"
            for device in [renamed, phone, laptop] {
                #expect(try await caller.signIn(password: "correct horse", device: device).status == 200)
            }
            #expect(mails() == 1)
            // A wrong password tells nobody anything.
            _ = try await caller.signIn(password: "wrong horse", device: Device(platform: "Linux"))
            #expect(mails() == 1)
        }
    }

    @Test func `mails about new devices are rate limited`() async throws {
        var configuration = server.configuration
        configuration.signIn.limits.notices = RateLimit(capacity: 2, interval: .seconds(60))
        try await server.run(configuration) { caller async throws in
            _ = try await caller.signUp()
            for number in 1...4 {
                _ = try await caller.signIn(password: "correct horse", device: Device(model: "\(number)"))
            }
            #expect(caller.log.messages.count { $0 == "new device" } == 2)
            #expect(caller.log.messages.count { $0 == "notice left out: too many" } == 2)
        }
    }
}
