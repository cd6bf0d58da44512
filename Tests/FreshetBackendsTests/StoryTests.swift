// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetAppBackends
import FreshetBackends
import FreshetTesting
import Logging
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A backend that is served` {
    /// A sign-in, a request, a refresh and a request again, as each app does them.
    @Test func `bitbasel's fake backend serves a sign-in, a request and a refresh`() async throws {
        try await ServedBackend.live("bitbasel") { served in
            let first = try await served.send("POST", "/auth/apple", #"{"identity_token":"apple"}"#)
            #expect(first.status == 200 && first.headers["content-type"] == "application/json")
            let feed = try await served.send("GET", "/posts/feed?page=1", bearer: first.text("access_token"))
            #expect(feed.status == 200)
            let refresh = #"{"refresh_token":"\#(try first.text("refresh_token"))"}"#
            let second = try await served.send("POST", "/auth/refresh", refresh)
            #expect(try second.text("refresh_token") == first.text("refresh_token"))
            #expect(served.backend.exchanges.map(\.tokens) == [[], ["access-1"], ["refresh-1"]])
            #expect(served.backend.exchanges[1].request.query == [URLQueryItem(name: "page", value: "1")])
        }
    }

    @Test func `authservice's fake backend serves a sign-in and a refresh, and refuses a used token`() async throws {
        try await ServedBackend.live("authservice") { served in
            let first = try await served.send("POST", "/auth/login", #"{"email":"a@b.example","password":"x"}"#)
            let second = try await served.send("POST", "/auth/refresh", bearer: first.text("refresh"))
            #expect(second.status == 200)
            #expect(try await served.send("GET", "/dashboard", bearer: second.text("access")).status == 200)
            #expect(try await served.send("POST", "/auth/refresh", bearer: first.text("refresh")).status == 401)
        }
    }

    @Test func `melchat's fake backend serves a code sign-in, a refresh and a sign-out`() async throws {
        try await ServedBackend.live("melchat") { served in
            _ = try await served.send("POST", "/api/auth/login", #"{"email":"a@b.example"}"#)
            let first = try await served.send(
                "POST",
                "/api/auth/verify",
                #"{"email":"a@b.example","code":"\#(AppBackend.emailCode)"}"#
            )
            let body = #"{"refreshToken":"\#(try first.text("refreshToken"))"}"#
            #expect(try await served.send("POST", "/api/auth/refresh", body).status == 200)
            #expect(try await served.send("POST", "/api/auth/logout", body).status == 200)
            #expect(try await served.send("POST", "/api/auth/refresh", body).status == 401)
        }
    }

    @Test func `creatist's fake backend serves a sign-in, a refresh and a request`() async throws {
        try await ServedBackend.live("creatist") { served in
            let first = try await served.send("POST", "/auth/login", #"{"email":"a@b.example","password":"x"}"#)
            let body = #"{"refresh_token":"\#(try first.text("refresh_token"))"}"#
            let second = try await served.send("POST", "/auth/refresh", body)
            #expect(second.fields["expires_in"] as? Int == 900)
            #expect(try await served.send("GET", "/items", bearer: second.text("access_token")).status == 200)
        }
    }

    @Test func `outbox's fake backend serves a sign-in and records a message`() async throws {
        try await ServedBackend.live("outbox") { served in
            let login = #"{"email":"a@b.example","password":"x"}"#
            let first = try await served.send("POST", "/api/v1/auth/login", login).object("data")
            let access = try #require(first["access_token"] as? String)
            let written = try await served.send("POST", "/api/v1/messages", #"{"text":"hello"}"#, bearer: access)
            #expect(written.status == 201)
            #expect(served.backend.messages.map(\.body) == [Data(#"{"text":"hello"}"#.utf8)])
        }
    }

    @Test func `a response to HEAD has no body, and the connection stays open`() async throws {
        try await ServedBackend.live("creatist") { served in
            let head = try await served.send("HEAD", "/items")
            #expect(head.status == 404 && head.body.isEmpty)
            #expect(try await served.send("GET", "/items").status == 401)
        }
    }

    @Test func `a WebSocket handshake is accepted or refused with an HTTP status`() async throws {
        try await ServedBackend.live("bitbasel") { served in
            let grant = served.backend.signIn()
            #expect(try await served.send("GET", "/ws/feed?token=\(grant.accessToken)").status == 426)
            #expect(try await Handshake(served.url, "/ws/feed?token=\(grant.accessToken)").status() == 101)
            try await served.control("revoke", #"{"tokens":"access"}"#)
            #expect(try await Handshake(served.url, "/ws/feed?token=\(grant.accessToken)").status() == 403)
        }
    }

    @Test func `a backend server refuses an unknown backend name and an invalid port`() {
        #expect(throws: BackendServerError.unknownBackend("bitbazel")) {
            try BackendServer(BackendServerConfiguration(backend: "bitbazel"), log: .init(label: "test"))
        }
        var configuration = BackendServerConfiguration(backend: "bitbasel", port: 65_536)
        #expect(throws: BackendServerError.unusablePort(65_536)) {
            try BackendServer(configuration, log: .init(label: "test"))
        }
        configuration.port = -1
        #expect(throws: BackendServerError.unusablePort(-1)) {
            try BackendServer(configuration, log: .init(label: "test"))
        }
        #expect(
            "\(BackendServerError.unknownBackend("x"))".contains("authservice, bitbasel, melchat, creatist, outbox")
        )
    }

    @Test func `a backend server fails to start on a port that is already in use`() async throws {
        try await ServedBackend.live("outbox") { served in
            let port = try #require(served.url.split(separator: ":").last.flatMap { Int($0) })
            let second = try BackendServer(BackendServerConfiguration(backend: "outbox", port: port), log: served.log)
            await #expect(throws: (any Error).self) { try await second.run() }
        }
    }

    @Test func `a backend server starts with the configured lifetimes, settings and faults`() async throws {
        var configuration = BackendServerConfiguration(backend: "creatist")
        configuration.accessLifetime = .seconds(3)
        configuration.refreshLifetime = .seconds(60)
        configuration.settings = Data(#"{"states_expiry":false,"detects_reuse":true}"#.utf8)
        configuration.faults = Data(#"{"fault":"status","status":503,"at":"login"}"#.utf8)
        try await ServedBackend.live(configuration) { served in
            #expect(served.backend.settings.accessLifetime == .seconds(3))
            #expect(served.backend.settings.refreshLifetime == .seconds(60))
            #expect(served.backend.settings.detectsReuse)
            let login = #"{"email":"a@b.example","password":"x"}"#
            let first = try await served.send("POST", "/auth/login", login)
            let second = try await served.send("POST", "/auth/login", login)
            #expect(first.status == 503)
            #expect(second.status == 200 && second.fields["expires_in"] == nil)
        }
    }

    @Test func `a start with invalid settings or faults fails with the reason`() {
        var configuration = BackendServerConfiguration(backend: "creatist")
        configuration.settings = Data(#"{"rotate":true}"#.utf8)
        let settings = #expect(throws: BackendServerError.self) {
            try BackendServer(configuration, log: .init(label: "test"))
        }
        #expect("\(settings.map(String.init(describing:)) ?? "")".contains(#""rotate" means nothing here"#))
        configuration.settings = nil
        configuration.faults = Data("lost".utf8)
        let faults = #expect(throws: BackendServerError.self) {
            try BackendServer(configuration, log: .init(label: "test"))
        }
        #expect("\(faults.map(String.init(describing:)) ?? "")".hasPrefix("the backend's faults cannot be read: "))
        configuration.faults = nil
        configuration.accessLifetime = .zero
        #expect(throws: BackendServerError.self) { try BackendServer(configuration, log: .init(label: "test")) }
    }
}
