// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetAppBackends
import FreshetTesting
import IdentityFixtures
import Testing

@testable import FreshetServer

/// The models of the apps' own clients, as their teams wrote them.
@Suite(.timeLimit(.minutes(5)))
struct `Models of the apps' own clients` {
    /// bitbasel's, in camel case.
    private struct AuthResponse: Codable, Equatable {
        let accessToken: String
        let refreshToken: String?
        let tokenType: String
        let userId: Int
        let email: String?
        let hasProfile: Bool
    }

    /// outbox's.
    private struct TokenEnvelope: Codable {
        struct Pair: Codable {
            let accessToken: String
            let refreshToken: String
        }
        let data: Pair
    }

    /// melchat's.
    private struct VerifyResponse: Codable {
        struct User: Codable {
            let id: String
            let username: String
            let isNewUser: Bool
        }
        let success: Bool
        let accessToken: String?
        let refreshToken: String?
        let token: String?
        let expiresIn: Int?
        let user: User?
    }

    @Test func `bitbasel's camel-case model decodes sign-in and refresh, with a plain decoder and with a key strategy`()
        async throws
    {
        let apple = try await AppleUnderTest()
        try await AppServer.serving(.bitbasel, apple) { server, _ async throws in
            let token = try await server.identityToken("ann@example.com")
            let grant = try await server.post("/auth/apple", #"{"identity_token":"\#(token)"}"#)
            let plain = try JSONDecoder().decode(AuthResponse.self, from: grant.body)
            #expect(plain.userId == 1 && plain.email == "ann@example.com" && plain.tokenType == "bearer")
            let strategic = JSONDecoder()
            strategic.keyDecodingStrategy = .convertFromSnakeCase
            #expect(try strategic.decode(AuthResponse.self, from: grant.body) == plain)
            let body = #"{"refresh_token":"\#(try #require(plain.refreshToken))"}"#
            let again = try await server.post("/auth/refresh", body)
            let refreshed = try JSONDecoder().decode(AuthResponse.self, from: again.body)
            #expect(refreshed.refreshToken == plain.refreshToken && refreshed.accessToken != plain.accessToken)
            #expect(try strategic.decode(AuthResponse.self, from: again.body) == refreshed)
        }
    }

    @Test func `bitbasel's hasProfile is false until the user creates a profile, and true in later responses`()
        async throws
    {
        let apple = try await AppleUnderTest()
        try await AppServer.serving(.bitbasel, apple) { server, _ async throws in
            func signIn() async throws -> AuthResponse {
                let token = try await server.identityToken("ann@example.com")
                let grant = try await server.post("/auth/apple", #"{"identity_token":"\#(token)"}"#)
                return try JSONDecoder().decode(AuthResponse.self, from: grant.body)
            }
            let first = try await signIn()
            #expect(!first.hasProfile)
            #expect(try await !signIn().hasProfile, "a second sign-in makes no profile")
            let profile = AppRequest(
                method: "PUT",
                path: "/profile",
                body: #"{"username":"annie"}"#,
                bearer: first.accessToken
            )
            #expect(try await server.send(profile)["/username"] == "annie")
            #expect(try await signIn().hasProfile)
            let body = #"{"refresh_token":"\#(try #require(first.refreshToken))"}"#
            let refreshed = try await server.post("/auth/refresh", body)
            #expect(try JSONDecoder().decode(AuthResponse.self, from: refreshed.body).hasProfile)
        }
    }

    @Test func `melchat's isNewUser is true at the first sign-in and false at later sign-ins`() async throws {
        let apple = try await AppleUnderTest()
        try await AppServer.serving(.melchat, apple) { server, _ async throws in
            func signIn(_ email: String) async throws -> VerifyResponse {
                _ = try await server.post("/api/auth/login", #"{"email":"\#(email)"}"#)
                let code = try server.code()
                let body = #"{"email":"\#(email)","code":"\#(code)"}"#
                let answer = try await server.post("/api/auth/verify", body)
                return try JSONDecoder().decode(VerifyResponse.self, from: answer.body)
            }
            let first = try await signIn("ann@example.com")
            #expect(first.user?.isNewUser == true)
            #expect(first.user?.username == "ann")
            #expect(try await signIn("ann@example.com").user?.isNewUser == false)
            #expect(try await signIn("bob@example.com").user?.isNewUser == true)
            let profile = AppRequest(
                method: "PUT",
                path: "/api/me",
                body: #"{"username":"annie"}"#,
                bearer: first.accessToken
            )
            #expect(try await server.send(profile).status == 200)
            let later = try await signIn("ann@example.com")
            #expect(later.user?.username == "annie" && later.user?.isNewUser == false)
        }
    }

    @Test func `the outbox app's model decodes the token envelope with a plain decoder`() async throws {
        let apple = try await AppleUnderTest()
        try await AppServer.serving(.outbox, apple) { server, caller async throws in
            _ = try await caller.signUp()
            let account = #"{"email":"ann@example.com","password":"correct horse"}"#
            let grant = try await server.post("/api/v1/auth/login", account)
            let pair = try JSONDecoder().decode(TokenEnvelope.self, from: grant.body).data
            let again = try await server.post("/api/v1/auth/refresh", #"{"refresh_token":"\#(pair.refreshToken)"}"#)
            let next = try JSONDecoder().decode(TokenEnvelope.self, from: again.body).data
            #expect(next.refreshToken != pair.refreshToken && next.accessToken != pair.accessToken)
        }
    }
}
