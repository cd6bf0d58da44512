// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

/// Creatist's own client: it counts `expires_in`, and refreshes before a request that would come too late.
actor CreatistOwnClient: OwnClient {
    private struct TokenReply: Decodable {
        var accessToken: String
        var refreshToken: String?
        var expiresIn: Int?

        private enum CodingKeys: String, CodingKey {
            case accessToken = "access_token", refreshToken = "refresh_token", expiresIn = "expires_in"
        }
    }

    var accessToken: String?
    private(set) var refreshToken: String?
    /// Unix seconds.
    private(set) var expirationTime: Double?
    var losesAnswer = false
    private let http: PlainHTTP

    init(_ address: String) { http = PlainHTTP(address: address) }

    func signIn(_ email: String, secret: String) async throws -> Onboarding {
        try keep(await http.success("POST", "/auth/login", json: ["email": email, "password": secret]))
        return Onboarding()
    }

    func refresh() async throws {
        let body = ["refresh_token": refreshToken ?? ""]
        let data = try await http.success("POST", "/auth/refresh", json: body)
        if losesAnswer {
            losesAnswer = false
            throw URLError(.networkConnectionLost)
        }
        try keep(data)
    }

    func call() async throws -> Int {
        if let expirationTime, expirationTime - 300 < Date().timeIntervalSince1970 { try await refresh() }
        let (status, _) = try await http.send("GET", "/items", bearer: accessToken)
        guard status == 401 else { return status }
        try await refresh()
        return try await http.send("GET", "/items", bearer: accessToken).0
    }

    func signOut() { (accessToken, refreshToken, expirationTime) = (nil, nil, nil) }

    private func keep(_ data: Data) throws {
        let pair = try JSONDecoder().decode(TokenReply.self, from: data)
        accessToken = pair.accessToken
        if let token = pair.refreshToken { refreshToken = token }
        let exp = RunningServer.Reply.claim("exp", of: pair.accessToken)
        expirationTime = pair.expiresIn.map { Date().timeIntervalSince1970 + Double($0) } ?? exp
    }
}
