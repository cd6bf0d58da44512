// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

/// MelChat's own client: a code by mail, camel case, a legacy token, a logout.
actor MelChatOwnClient: OwnClient {
    private struct AuthResponse: Decodable {
        struct User: Decodable {
            var id: String
            var username: String
            var isNewUser: Bool
        }

        var success: Bool
        var accessToken: String?
        var refreshToken: String?
        var token: String?
        var expiresIn: Int?
        var user: User?
    }

    var accessToken: String?
    private(set) var refreshToken: String?
    private(set) var username: String?
    var losesAnswer = false
    private let http: PlainHTTP

    init(_ address: String) { http = PlainHTTP(address: address) }

    func requestCode(_ email: String) async throws {
        _ = try await http.success("POST", "/api/auth/login", json: ["email": email])
    }

    func signIn(_ email: String, secret: String) async throws -> Onboarding {
        let response = try await post("/api/auth/verify", ["email": email, "code": secret])
        keep(response)
        username = response.user?.username
        return Onboarding(isNewUser: response.user?.isNewUser)
    }

    func refresh() async throws {
        let response = try await post("/api/auth/refresh", ["refreshToken": refreshToken ?? ""])
        if losesAnswer {
            losesAnswer = false
            throw URLError(.networkConnectionLost)
        }
        keep(response)
    }

    func call() async throws -> Int {
        let (status, _) = try await http.send("GET", "/api/me", bearer: accessToken)
        guard status == 401 else { return status }
        try await refresh()
        return try await http.send("GET", "/api/me", bearer: accessToken).0
    }

    func signOut() async throws {
        _ = try await post("/api/auth/logout", ["refreshToken": refreshToken ?? ""])
        (accessToken, refreshToken, username) = (nil, nil, nil)
    }

    private func post(_ path: String, _ body: [String: String]) async throws -> AuthResponse {
        let data = try await http.success("POST", path, json: body)
        let response = try JSONDecoder().decode(AuthResponse.self, from: data)
        // A failure may come with status 200.
        guard response.success else { throw PlainHTTP.Failure(status: 200) }
        return response
    }

    private func keep(_ response: AuthResponse) {
        if let token = response.accessToken ?? response.token { accessToken = token }
        if let token = response.refreshToken { refreshToken = token }
    }
}
