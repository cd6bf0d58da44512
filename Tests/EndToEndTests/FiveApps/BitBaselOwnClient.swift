// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

/// BitBasel's own client: camel case in the model, snake case on the wire, read by one of two decoders.
actor BitBaselOwnClient: OwnClient {
    private struct TokenResponse: Decodable {
        var accessToken: String
        var refreshToken: String?
        var tokenType: String
        var userId: Int
        var email: String?
        var hasProfile: Bool
    }

    var accessToken: String?
    private(set) var refreshToken: String?
    private(set) var user: Int?
    var losesAnswer = false
    private let http: PlainHTTP
    private let decoder: JSONDecoder

    /// - Parameters:
    ///   - address: Where the backend is.
    ///   - isPlain: As printed; a team that reads the wire sets `convertFromSnakeCase`.
    init(_ address: String, isPlain: Bool) {
        http = PlainHTTP(address: address)
        decoder = JSONDecoder()
        if !isPlain { decoder.keyDecodingStrategy = .convertFromSnakeCase }
    }

    func signIn(_ email: String, secret: String) async throws -> Onboarding {
        let data = try await http.success("POST", "/auth/apple", json: ["identity_token": secret])
        let response = try decoder.decode(TokenResponse.self, from: data)
        keep(response)
        return Onboarding(hasProfile: response.hasProfile)
    }

    func refresh() async throws {
        let body = ["refresh_token": refreshToken ?? ""]
        let data = try await http.success("POST", "/auth/refresh", json: body)
        if losesAnswer {
            losesAnswer = false
            throw URLError(.networkConnectionLost)
        }
        keep(try decoder.decode(TokenResponse.self, from: data))
    }

    func call() async throws -> Int {
        let (status, _) = try await http.send("GET", "/posts/feed", bearer: accessToken)
        guard status == 401 else { return status }
        try await refresh()
        return try await http.send("GET", "/posts/feed", bearer: accessToken).0
    }

    func signOut() { (accessToken, refreshToken, user) = (nil, nil, nil) }

    private func keep(_ response: TokenResponse) {
        (accessToken, user) = (response.accessToken, response.userId)
        // Absent, the old one stays.
        if let token = response.refreshToken { refreshToken = token }
    }
}
