// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

/// One of the five apps, as the SDK's presets and the server's contracts call it.
enum FiveApp: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case authservice, bitbasel, melchat, creatist, outbox

    var testDescription: String { rawValue }

    /// A request for the app's main resource, and the status of its response.
    var resource: (method: String, path: String, status: Int) {
        switch self {
        case .authservice: ("GET", "/dashboard", 200)
        case .bitbasel: ("GET", "/posts/feed", 200)
        case .melchat: ("GET", "/api/me", 200)
        case .creatist: ("GET", "/items", 200)
        case .outbox: ("POST", "/api/v1/messages", 201)
        }
    }

    /// Where it refreshes.
    var refreshPath: String {
        switch self {
        case .authservice, .bitbasel, .creatist: "/auth/refresh"
        case .melchat: "/api/auth/refresh"
        case .outbox: "/api/v1/auth/refresh"
        }
    }

    /// Whether a sign-in is by password, to an account that must exist at our server.
    var usesPasswords: Bool { self == .authservice || self == .creatist || self == .outbox }
}

/// A server that an app talks to: the fake of its own backend, or ours, which serves its contract.
struct AppDeployment: Sendable {
    enum Kind: String, CaseIterable, Sendable, CustomTestStringConvertible {
        /// `freshet serve --backend`
        case fake
        /// `freshet serve --contract`
        case served

        var testDescription: String { rawValue }
    }

    static let password = "correct horse"
    static let people = ["ann@example.com", "bob@example.com"]

    let app: FiveApp
    let kind: Kind
    let server: RunningServer
    let identities: AppleIdentityTokens

    var base: URL {
        get throws { try #require(URL(string: server.address)) }
    }

    /// Starts the program, and ends it when `body` is over.
    static func run(_ app: FiveApp, _ kind: Kind, _ body: (AppDeployment) async throws -> Void) async throws {
        let identities = AppleIdentityTokens(audience: "com.example.fiveapps")
        var arguments = ["--backend", app.rawValue]
        if kind == .served { arguments = ["--contract", RunningServer.contract(app.rawValue), "--feed-clock", "50ms"] }
        try await RunningServer.run(
            arguments,
            accessTTL: kind == .served ? "10m" : nil,
            hasData: kind == .served,
            prepare: { kind == .served ? try identities.options(in: $0) : [] }
        ) { server in
            let place = AppDeployment(app: app, kind: kind, server: server, identities: identities)
            if kind == .served, app.usesPasswords { for person in people { try await server.signUp(person) } }
            try await body(place)
        }
    }

    /// The newest code that was mailed.
    func code(for email: String) throws -> String { kind == .fake ? "123456" : try server.code(for: email) }

    /// Ends all sessions of a user, as another device or an operator does.
    func endSessions(of accessToken: String) async throws {
        switch kind {
        case .fake:
            #expect(try await server.send("POST", "/__backend/revoke", json: ["tokens": "all"]).status == 200)
        case .served:
            #expect(try await server.send("POST", "/v1/logout-all", bearer: accessToken).status == 204)
        }
    }

    /// The status that a refresh with a token is answered with.
    func refreshStatus(_ token: String) async throws -> Int {
        switch app {
        case .authservice: try await server.send("POST", app.refreshPath, bearer: token).status
        case .melchat: try await server.send("POST", app.refreshPath, json: ["refreshToken": token]).status
        case .bitbasel, .creatist, .outbox:
            try await server.send("POST", app.refreshPath, json: ["refresh_token": token]).status
        }
    }
}
