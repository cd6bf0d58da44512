// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

/// Outbox's own client: an envelope, camel case in the model, writes that are sent with a valid token.
actor OutboxOwnClient: OwnClient {
    private struct Envelope: Decodable {
        struct Tokens: Decodable {
            var accessToken: String
            var refreshToken: String
        }

        var data: Tokens
    }

    var accessToken: String?
    private(set) var refreshToken: String?
    var losesAnswer = false
    private let http: PlainHTTP

    init(_ address: String) { http = PlainHTTP(address: address) }

    func signIn(_ email: String, secret: String) async throws -> Onboarding {
        try keep(await http.success("POST", "/api/v1/auth/login", json: ["email": email, "password": secret]))
        return Onboarding()
    }

    func refresh() async throws {
        let body = ["refresh_token": refreshToken ?? ""]
        let data = try await http.success("POST", "/api/v1/auth/refresh", json: body)
        if losesAnswer {
            losesAnswer = false
            throw URLError(.networkConnectionLost)
        }
        try keep(data)
    }

    func call() async throws -> Int {
        // Five minutes before the end; without a readable one, fifteen minutes are assumed.
        let end = RunningServer.Reply.claim("exp", of: accessToken) ?? Date().timeIntervalSince1970 + 900
        if end - 300 <= Date().timeIntervalSince1970 { try await refresh() }
        return try await http.send("POST", "/api/v1/messages", bearer: accessToken, json: ["text": "hello"]).0
    }

    func signOut() { (accessToken, refreshToken) = (nil, nil) }

    private func keep(_ data: Data) throws {
        let tokens = try JSONDecoder().decode(Envelope.self, from: data).data
        (accessToken, refreshToken) = (tokens.accessToken, tokens.refreshToken)
    }
}
