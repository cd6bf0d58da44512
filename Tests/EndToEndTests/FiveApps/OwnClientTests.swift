// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

/// The five apps' own clients, without a line of ours, at our server.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct `The apps' own clients` {
    /// An app and the decoder that it reads answers with.
    enum Client: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case authservice, bitbaselPlain, bitbaselSnakeCase, melchat, creatist, outbox

        var testDescription: String { rawValue }

        var app: FiveApp {
            switch self {
            case .authservice: .authservice
            case .bitbaselPlain, .bitbaselSnakeCase: .bitbasel
            case .melchat: .melchat
            case .creatist: .creatist
            case .outbox: .outbox
            }
        }

        func make(_ address: String) -> any OwnClient {
            switch self {
            case .authservice: AuthServiceOwnClient(address)
            case .bitbaselPlain: BitBaselOwnClient(address, isPlain: true)
            case .bitbaselSnakeCase: BitBaselOwnClient(address, isPlain: false)
            case .melchat: MelChatOwnClient(address)
            case .creatist: CreatistOwnClient(address)
            case .outbox: OutboxOwnClient(address)
            }
        }
    }

    private func run(_ client: Client, _ body: (AppDeployment) async throws -> Void) async throws {
        try await AppDeployment.run(client.app, .served) { place in try await body(place) }
    }

    private func signIn(
        _ client: any OwnClient,
        at place: AppDeployment,
        as email: String = AppDeployment.people[0]
    ) async throws -> Onboarding {
        let secret: String
        switch place.app {
        case .authservice, .creatist, .outbox: secret = AppDeployment.password
        case .bitbasel: secret = try place.identities.token(subject: "001234.\(email)", email: email)
        case .melchat:
            try await (client as? MelChatOwnClient)?.requestCode(email)
            secret = try place.code(for: email)
        }
        return try await client.signIn(email, secret: secret)
    }

    @Test(arguments: Client.allCases)
    func `an app's own client signs in, and refreshes its expired access token during a call`(kind: Client) async throws
    {
        try await run(kind) { place in
            let client = kind.make(place.server.address)
            _ = try await signIn(client, at: place)
            #expect(try await client.call() == place.app.resource.status)
            let first = try #require(await client.accessToken)
            for _ in 0..<3 {
                await client.setAccessToken(try place.server.ended(try #require(await client.accessToken)))
                #expect(try await client.call() == place.app.resource.status)
            }
            #expect(await client.accessToken != first)
        }
    }

    @Test(arguments: Client.allCases)
    func `an app's own client continues after the response to a refresh is lost`(kind: Client) async throws {
        try await run(kind) { place in
            let client = kind.make(place.server.address)
            _ = try await signIn(client, at: place)
            await client.loseAnswer()
            await #expect(throws: (any Error).self) { try await client.refresh() }
            let access = try place.server.ended(try #require(await client.accessToken))
            await client.setAccessToken(access)
            #expect(try await client.call() == place.app.resource.status)
            try await client.refresh()
            #expect(try await client.call() == place.app.resource.status)
        }
    }

    @Test(arguments: Client.allCases)
    func `an app's own client signs out and signs in as another user`(kind: Client) async throws {
        try await run(kind) { place in
            let client = kind.make(place.server.address)
            _ = try await signIn(client, at: place)
            let (access, refresh) = await (client.accessToken, client.refreshToken)
            try await client.signOut()
            if place.app == .melchat {
                #expect(try await place.refreshStatus(try #require(refresh)) == 401)
                #expect(try await place.server.send("GET", "/api/me", bearer: access).status == 401)
            }
            _ = try await signIn(client, at: place, as: AppDeployment.people[1])
            #expect(try await client.call() == place.app.resource.status)
            #expect(await client.refreshToken != refresh)
        }
    }

    @Test(arguments: Client.allCases)
    func `an app's own client needs a new sign-in after its session ends`(kind: Client) async throws {
        try await run(kind) { place in
            let client = kind.make(place.server.address)
            _ = try await signIn(client, at: place)
            let access = try #require(await client.accessToken)
            try await place.endSessions(of: access)
            await client.setAccessToken(try place.server.ended(access))
            await #expect(throws: (any Error).self) { try await client.call() }
            _ = try await signIn(client, at: place)
            #expect(try await client.call() == place.app.resource.status)
        }
    }

    @Test func `melchat reports a new user at the first sign-in and not at the second`() async throws {
        try await run(.melchat) { place in
            let client = Client.melchat.make(place.server.address)
            #expect(try await signIn(client, at: place) == Onboarding(isNewUser: true))
            #expect(try await signIn(client, at: place) == Onboarding(isNewUser: false))
            try await client.signOut()
            #expect(try await signIn(client, at: place) == Onboarding(isNewUser: false))
            #expect(try await signIn(client, at: place, as: AppDeployment.people[1]) == Onboarding(isNewUser: true))
        }
    }

    @Test(arguments: [Client.bitbaselPlain, .bitbaselSnakeCase])
    func `bitbasel reports a missing profile at every sign-in of a user without one`(kind: Client) async throws {
        try await AppDeployment.run(.bitbasel, .served) { place in
            let client = kind.make(place.server.address)
            for _ in 0..<2 {
                let onboarding = try await signIn(client, at: place)
                #expect(onboarding == Onboarding(hasProfile: false))
            }
        }
    }
}
