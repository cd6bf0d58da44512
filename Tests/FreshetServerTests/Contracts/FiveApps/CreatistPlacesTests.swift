// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetAppBackends
import FreshetTesting
import IdentityFixtures
import Testing

@testable import FreshetServer

/// creatist's description does not say where the refresh token goes, so our server takes it at every usual place.
@Suite(.timeLimit(.minutes(5)))
struct `creatist's refresh token` {
    enum Place: CaseIterable {
        case json, form, bearer, bearerWithType, bearerWithEmptyObject, jsonBesideAccessToken

        func request(_ path: String, _ token: String, access: String) -> AppRequest {
            switch self {
            case .json: AppRequest(path: path, body: #"{"refresh_token":"\#(token)"}"#)
            case .form:
                AppRequest(
                    path: path,
                    body: "grant_type=refresh_token&refresh_token=\(token)",
                    contentType: "application/x-www-form-urlencoded"
                )
            case .bearer: AppRequest(path: path, contentType: "", bearer: token)
            case .bearerWithType: AppRequest(path: path, bearer: token)
            case .bearerWithEmptyObject: AppRequest(path: path, body: "{}", bearer: token)
            case .jsonBesideAccessToken:
                AppRequest(path: path, body: #"{"refresh_token":"\#(token)"}"#, bearer: access)
            }
        }
    }

    private static let account = #"{"email":"ann@example.com","password":"correct horse"}"#

    private func live(_ body: @Sendable (AppServer, AppResponse) async throws -> Void) async throws {
        let apple = try await AppleUnderTest()
        try await AppServer.serving(.creatist, apple) { server, caller async throws in
            _ = try await caller.signUp()
            try await body(server, try await server.post("/auth/login", Self.account))
        }
    }

    @Test(arguments: Place.allCases) func `creatist's refresh token is accepted as JSON, form field or bearer token`(
        place: Place
    ) async throws {
        try await live { server, grant async throws in
            let token = try #require(grant["/refresh_token"]), access = try #require(grant["/access_token"])
            let answer = try await server.send(place.request("/auth/refresh", token, access: access))
            #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
            #expect(answer["/refresh_token"] != token && answer["/access_token"] != nil)
        }
    }

    @Test(arguments: Place.allCases)
    func `a sign-out ends the session of creatist's refresh token, as JSON, form field or bearer token`(place: Place)
        async throws
    {
        try await live { server, grant async throws in
            let token = try #require(grant["/refresh_token"]), access = try #require(grant["/access_token"])
            #expect(try await server.send(place.request("/auth/logout", token, access: access)).status == 204)
            let refused = try await server.post("/auth/refresh", #"{"refresh_token":"\#(token)"}"#)
            #expect(refused.status == 401 && refused["/error"] == "session_ended")
        }
    }

    @Test func `a missing refresh token is reported with the app's error`() async throws {
        try await live { server, _ async throws in
            for request in [
                AppRequest(path: "/auth/refresh", body: "{}"), AppRequest(path: "/auth/refresh"),
                AppRequest(path: "/auth/refresh", body: "a=b", contentType: "application/x-www-form-urlencoded"),
            ] {
                let answer = try await server.send(request)
                #expect(answer.status == 400 && answer["/error"] == "invalid_request")
            }
        }
    }

    @Test(arguments: [AppBackend.App.authservice, .bitbasel, .outbox])
    func `a refresh is refused after a sign-out in the authservice, bitbasel and outbox apps`(app: AppBackend.App)
        async throws
    {
        let apple = try await AppleUnderTest()
        try await AppServer.serving(app, apple) { server, caller async throws in
            if app != .bitbasel { _ = try await caller.signUp() }
            var story = AppScenario(server)
            try await story.play()
            let step = try #require(story.shapes.first { $0.step == "a refresh after the sign-out" })
            #expect(step.shape.status == 401)
        }
    }
}
