// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

/// AuthService's own client: an actor with `validAccessToken()` and `refreshIfNeeded()`, and three errors.
actor AuthServiceOwnClient: OwnClient {
    enum Failure: Error { case unauthorized, network, server }

    private struct Tokens: Decodable {
        var access: String
        var refresh: String
    }

    var accessToken: String?
    private(set) var refreshToken: String?
    var losesAnswer = false
    private let http: PlainHTTP

    init(_ address: String) { http = PlainHTTP(address: address) }

    func signIn(_ email: String, secret: String) async throws -> Onboarding {
        let body = ["email": email, "password": secret]
        keep(try JSONDecoder().decode(Tokens.self, from: try await http.success("POST", "/auth/login", json: body)))
        return Onboarding()
    }

    func validAccessToken() async throws -> String {
        try await refreshIfNeeded()
        guard let accessToken else { throw Failure.unauthorized }
        return accessToken
    }

    /// Sixty seconds before `exp`.
    private func refreshIfNeeded() async throws {
        let exp = RunningServer.Reply.claim("exp", of: accessToken) ?? 0
        if exp - 60 < Date().timeIntervalSince1970 { try await refresh() }
    }

    func refresh() async throws {
        let (status, data) = try await http.send("POST", "/auth/refresh", bearer: refreshToken)
        if losesAnswer {
            losesAnswer = false
            throw Failure.network
        }
        switch status {
        case 200: keep(try JSONDecoder().decode(Tokens.self, from: data))
        case 401:
            (accessToken, refreshToken) = (nil, nil)
            throw Failure.unauthorized
        default: throw Failure.server
        }
    }

    func call() async throws -> Int {
        let (status, _) = try await http.send("GET", "/dashboard", bearer: try await validAccessToken())
        guard status == 401 else { return status }
        try await refresh()
        return try await http.send("GET", "/dashboard", bearer: accessToken).0
    }

    func signOut() { (accessToken, refreshToken) = (nil, nil) }

    private func keep(_ tokens: Tokens) { (accessToken, refreshToken) = (tokens.access, tokens.refresh) }
}
