// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetAppBackends
import FreshetTesting
import Testing

/// The requests of an app's client, in order, and the shape of each response.
struct AppScenario {
    private(set) var shapes: [(step: String, shape: ResponseShape)] = []

    private let server: AppServer
    private let paths: Paths
    private let email = "ann@example.com"

    private struct Paths {
        var login: String
        var refresh: String
        var logout: String
        var resources: [String]
        /// Where the tokens of a grant are.
        var access: String
        var token: String
    }

    init(_ server: AppServer) {
        self.server = server
        paths =
            switch server.app {
            case .authservice:
                Paths(
                    login: "/auth/login",
                    refresh: "/auth/refresh",
                    logout: "/auth/logout",
                    resources: ["/dashboard"],
                    access: "/access",
                    token: "/refresh"
                )
            case .bitbasel:
                Paths(
                    login: "/auth/apple",
                    refresh: "/auth/refresh",
                    logout: "/auth/logout",
                    resources: ["/posts/feed"],
                    access: "/access_token",
                    token: "/refresh_token"
                )
            case .melchat:
                Paths(
                    login: "/api/auth/verify",
                    refresh: "/api/auth/refresh",
                    logout: "/api/auth/logout",
                    resources: ["/api/me", "/api/messages"],
                    access: "/accessToken",
                    token: "/refreshToken"
                )
            case .creatist:
                Paths(
                    login: "/auth/login",
                    refresh: "/auth/refresh",
                    logout: "/auth/logout",
                    resources: ["/items", "/profile"],
                    access: "/access_token",
                    token: "/refresh_token"
                )
            case .outbox:
                Paths(
                    login: "/api/v1/auth/login",
                    refresh: "/api/v1/auth/refresh",
                    logout: "/api/v1/auth/logout",
                    resources: ["/api/v1/items"],
                    access: "/data/access_token",
                    token: "/data/refresh_token"
                )
            }
    }

    /// Plays the story.
    mutating func play() async throws {
        let first = try await signIn("the first sign-in")
        try await refusedSignIns()
        try await resources(try #require(first[paths.access]))
        try await refreshes(try #require(first[paths.token]))
        try await profile()
        try await ends()
        if server.app == .bitbasel {
            record("a plain GET of the socket", try await server.get("/ws/feed"))
        }
        record("an unknown path", try await server.get("/there/is/none"))
    }

    private mutating func record(_ step: String, _ answer: AppResponse, keeping constants: Set<String> = []) {
        shapes.append((step, ResponseShape(answer, keeping: constants)))
    }

    // MARK: - Signing in

    private mutating func signIn(_ step: String) async throws -> AppResponse {
        let answer: AppResponse
        switch server.app {
        case .bitbasel:
            let token = try await server.identityToken(email)
            answer = try await server.post(paths.login, #"{"identity_token":"\#(token)"}"#)
        case .melchat:
            record("\(step): a code", try await server.post("/api/auth/login", #"{"email":"\#(email)"}"#))
            let code = try server.code()
            answer = try await server.post(paths.login, #"{"email":"\#(email)","code":"\#(code)"}"#)
        case .authservice, .creatist, .outbox:
            answer = try await server.post(paths.login, #"{"email":"\#(email)","password":"correct horse"}"#)
        }
        record(step, answer)
        return answer
    }

    private mutating func refusedSignIns() async throws {
        let wrong =
            switch server.app {
            case .bitbasel: #"{"identity_token":""}"#
            case .melchat: #"{"email":"\#(email)","code":"000000"}"#
            case .authservice, .creatist, .outbox: #"{"email":"\#(email)","password":"another password"}"#
            }
        record("wrong credentials", try await server.post(paths.login, wrong))
        record("a sign-in without its fields", try await server.post(paths.login, "{}"))
        record("a sign-in whose body is no JSON", try await server.post(paths.login, "{"))
    }

    // MARK: - With an access token

    private mutating func resources(_ access: String) async throws {
        for path in paths.resources {
            record("GET \(path)", try await server.get(path, bearer: access))
            record("GET \(path) without a token", try await server.get(path))
            record("GET \(path) with a made-up token", try await server.get(path, bearer: "made.up.token"))
        }
        guard server.app == .outbox else { return }
        record("a write", try await server.post("/api/v1/messages", #"{"text":"hello"}"#, bearer: access))
        record("a write without a token", try await server.post("/api/v1/messages", #"{"text":"hello"}"#))
    }

    // MARK: - Refreshing

    private func refresh(_ token: String) async throws -> AppResponse {
        switch server.app {
        case .authservice: try await server.send(AppRequest(path: paths.refresh, bearer: token))
        case .melchat: try await server.post(paths.refresh, #"{"refreshToken":"\#(token)"}"#)
        case .bitbasel, .creatist, .outbox:
            try await server.post(paths.refresh, #"{"refresh_token":"\#(token)"}"#)
        }
    }

    private mutating func refreshes(_ first: String) async throws {
        let second = try await refresh(first)
        record("a refresh", second)
        record("a refresh without its token", try await server.post(paths.refresh, "{}"))
        let dead: Set = ["Invalid or expired refresh token", "Refresh token revoked"]
        if let token = second[paths.token], token != first {
            _ = try await refresh(token)
            // Our server takes a repeat within the minute for a retry.
            server.advance(.seconds(61))
            record("a used refresh token", try await refresh(first), keeping: dead)
        }
        record("a made-up refresh token", try await refresh("made-up"))
    }

    // MARK: - The profile

    private mutating func profile() async throws {
        let answer = try await signIn("the second sign-in")
        let access = answer[paths.access]
        let path: String
        switch server.app {
        case .bitbasel: path = "/profile"
        case .melchat: path = "/api/me"
        case .authservice, .creatist, .outbox: return
        }
        let request = AppRequest(method: "PUT", path: path, body: #"{"username":"annie"}"#, bearer: access)
        record("a profile", try await server.send(request), keeping: ["annie"])
        var other = request
        other.body = "{}"
        record("a profile without a name", try await server.send(other))
        other = request
        other.bearer = nil
        record("a profile without a token", try await server.send(other))
        _ = try await signIn("a sign-in with a profile")
    }

    // MARK: - Signing out

    private func logout(_ token: String) async throws -> AppResponse {
        switch server.app {
        case .authservice: try await server.send(AppRequest(path: paths.logout, bearer: token))
        case .melchat: try await server.post(paths.logout, #"{"refreshToken":"\#(token)"}"#)
        case .bitbasel, .creatist, .outbox: try await server.post(paths.logout, #"{"refresh_token":"\#(token)"}"#)
        }
    }

    private mutating func ends() async throws {
        let grant = try await signIn("the third sign-in")
        let token = try #require(grant[paths.token]), access = try #require(grant[paths.access])
        let constants: Set = ["Logged out successfully", "Invalid or expired refresh token"]
        record("a sign-out", try await logout(token), keeping: constants)
        record("a sign-out again", try await logout(token), keeping: constants)
        record("a sign-out without its token", try await server.post(paths.logout, "{}"))
        record("a refresh after the sign-out", try await refresh(token))
        record("a call after the sign-out", try await server.get(paths.resources[0], bearer: access))
        guard server.app == .melchat else { return }
        let other = try await signIn("the fourth sign-in")
        let bearer = other[paths.access]
        record(
            "a sign-out everywhere",
            try await server.post("/api/auth/logout-all", nil, bearer: bearer),
            keeping: constants
        )
        record("a sign-out everywhere again", try await server.post("/api/auth/logout-all", nil, bearer: bearer))
    }
}
