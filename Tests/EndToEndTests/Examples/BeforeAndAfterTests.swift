// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import Testing

@testable import BeforeAndAfter

/// The same stories with the token manager of Examples/BeforeAndAfter and with the session that replaces it.
@Suite(.timeLimit(.minutes(5)))
struct `An app's own token manager, and the session that replaces it` {
    /// An installation of the app, on which a user signed in with the version before.
    private struct Device {
        let deployment: AppDeployment
        let network = FaultyAppNetwork()
        let folder: URL
        let storage: TokenStorage

        init(_ deployment: AppDeployment) throws {
            self.deployment = deployment
            folder = deployment.server.folder.appending(path: "device-\(UUID())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            storage = TokenStorage(file: folder.appending(path: "tokens.json"))
        }

        func before() throws -> some MessagesAPI {
            TokenManager(server: try deployment.base, storage: storage) { [network] in try await network.data(for: $0) }
        }

        func after() throws -> some MessagesAPI {
            let store = FileStore(directory: folder, name: "session")
            return try MessagesClient(server: deployment.base, store: store, old: storage, transport: network)
        }

        /// Signs in with the version before, and lets the access token expire.
        func signedIn(withExpiredToken isExpired: Bool = true) async throws -> Device {
            try await before().signIn(email: AppDeployment.people[0], password: AppDeployment.password)
            if isExpired {
                let token = try #require(storage["access_token"])
                storage["access_token"] = try deployment.server.ended(token)
                storage["expires_at"] = "0"
            }
            return self
        }
    }

    private func run(
        _ kind: AppDeployment.Kind = .served,
        _ story: (AppDeployment) async throws -> Void
    ) async throws {
        try await AppDeployment.run(.outbox, kind, story)
    }

    /// Sends ten messages at once, and returns how many failed.
    private func failuresOfTen(_ app: some MessagesAPI) async -> Int {
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<10 {
                group.addTask {
                    do { try await app.send("message \(number)") } catch { return true }; return false
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
    }

    @Test func `an update from the token manager to AuthSession keeps the user signed in, and deletes old items`()
        async throws
    {
        try await run { deployment in
            let device = try await Device(deployment).signedIn()
            for _ in 1...2 {
                let app = try device.after()
                await app.launch()
                #expect(await app.isSignedIn)
                try await app.send("hello")
            }
            #expect(["access_token", "refresh_token", "expires_at"].allSatisfy { device.storage[$0] == nil })
            #expect(device.network.refreshes == 1)
        }
    }

    @Test func `for ten callers with an expired token, the token manager refreshes ten times, the session once`()
        async throws
    {
        try await run { deployment in
            let old = try await Device(deployment).signedIn()
            old.network.holdRefreshes(until: 10)
            #expect(await failuresOfTen(try old.before()) == 0)
            #expect(old.network.refreshes == 10)

            let new = try await Device(deployment).signedIn()
            let app = try new.after()
            await app.launch()
            #expect(await failuresOfTen(app) == 0)
            #expect(new.network.refreshes == 1)
        }
    }

    @Test func `concurrent calls with a single-use refresh token fail with the token manager, not the session`()
        async throws
    {
        try await run(.fake) { deployment in
            func revokeAccessTokens() async throws {
                let reply = try await deployment.server.send("POST", "/__backend/revoke", json: ["tokens": "access"])
                #expect(reply.status == 200)
            }
            // The app's model reads camel case; the fake writes snake case unless it is told otherwise.
            let settings = ["casing": "both"]
            #expect(try await deployment.server.send("POST", "/__backend/settings", json: settings).status == 200)
            let old = try await Device(deployment).signedIn(withExpiredToken: false)
            try await revokeAccessTokens()
            old.network.holdRefreshes(until: 10)
            #expect(await failuresOfTen(try old.before()) >= 9)

            let new = try await Device(deployment).signedIn(withExpiredToken: false)
            let app = try new.after()
            await app.launch()
            try await revokeAccessTokens()
            #expect(await failuresOfTen(app) == 0)
            #expect(await app.isSignedIn)
            #expect(new.network.refreshes == 1)
        }
    }

    @Test func `a lost refresh response signs the user out with the token manager, but not with the session`()
        async throws
    {
        try await run { deployment in
            let old = try await Device(deployment).signedIn()
            old.network.loseRefreshResponse()
            let manager = try old.before()
            await #expect(throws: URLError.self) { try await manager.send("hello") }
            #expect(await !manager.isSignedIn)

            let new = try await Device(deployment).signedIn()
            new.network.loseRefreshResponse()
            let app = try new.after()
            await app.launch()
            try await app.send("hello")
            #expect(await app.isSignedIn)
            #expect(new.network.refreshes == 2)
        }
    }

    @Test func `a launch without a network signs the user out with the token manager, not with the session`()
        async throws
    {
        try await run { deployment in
            let old = try await Device(deployment).signedIn()
            old.network.setOff(true)
            let manager = try old.before()
            await manager.launch()
            #expect(await !manager.isSignedIn)

            let new = try await Device(deployment).signedIn()
            new.network.setOff(true)
            let app = try new.after()
            await app.launch()
            #expect(await app.isSignedIn)
            new.network.setOff(false)
            try await app.send("hello")
        }
    }

    @Test func `a 503 for an API call causes a refresh by the token manager, but not by the session`() async throws {
        try await run { deployment in
            let old = try await Device(deployment).signedIn(withExpiredToken: false)
            old.network.answerCall(503)
            try await old.before().send("hello")
            #expect(old.network.refreshes == 1)

            let new = try await Device(deployment).signedIn(withExpiredToken: false)
            new.network.answerCall(503)
            let app = try new.after()
            await app.launch()
            await #expect(throws: UnexpectedStatus(status: 503)) { try await app.send("hello") }
            #expect(new.network.refreshes == 0)
        }
    }

    @Test func `the token manager stores an expiry later than the exp claim of a token that it cannot decode`()
        async throws
    {
        try await run { deployment in
            let device = try await Device(deployment).signedIn(withExpiredToken: false)
            let stored = try #require(device.storage["expires_at"].flatMap(Double.init))
            let real = try #require(RunningServer.Reply.claim("exp", of: device.storage["access_token"]))
            #expect(stored - real > 2_000)
        }
    }
}
