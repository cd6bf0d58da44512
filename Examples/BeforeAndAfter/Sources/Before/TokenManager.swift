// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The app's own token manager, as it was released: plausible line by line, and wrong in eight places.
///
/// `MoveFromYourOwn` has the rules; this has the shape in which five apps wrote it.
actor TokenManager: MessagesAPI {
    /// How requests are sent: `URLSession.shared.data(for:)` in the app.
    typealias Send = @Sendable (URLRequest) async throws -> (Data, HTTPURLResponse)

    private struct TokenReply: Decodable {
        struct Tokens: Decodable { var accessToken, refreshToken: String }
        var data: Tokens
    }

    private let server: URL
    private let storage: TokenStorage
    private let sendRequest: Send

    init(server: URL, storage: TokenStorage, send: @escaping Send) {
        self.server = server
        self.storage = storage
        sendRequest = send
    }

    var isSignedIn: Bool { storage["refresh_token"] != nil }

    func launch() async {
        // Fault 3: a launch without a network is a refresh that fails, and that is a sign-out (fault 6).
        if isSignedIn { try? await refresh() }
    }

    func signIn(email: String, password: String) async throws {
        let login = ["email": email, "password": password]
        try await save(reply(to: .post(login, to: server.appending(path: "api/v1/auth/login"))))
    }

    func send(_ text: String) async throws {
        var request = try URLRequest.message(text, to: server)
        request.setValue("Bearer \(try await validAccessToken())", forHTTPHeaderField: "Authorization")
        var (_, response) = try await sendRequest(request)
        // Fault 4: every failure is taken for an expired token: 403, 429 and 503 refresh, too.
        if response.statusCode >= 400 {
            try await refresh()
            request.setValue("Bearer \(storage["access_token"] ?? "")", forHTTPHeaderField: "Authorization")
            (_, response) = try await sendRequest(request)
        }
        guard response.statusCode == 201 else { throw UnexpectedStatus(status: response.statusCode) }
    }

    private func validAccessToken() async throws -> String {
        let expiry = storage["expires_at"].flatMap(TimeInterval.init) ?? 0
        // Fault 5: no single flight. An actor is no lock: while one caller awaits its refresh, the others start theirs.
        if expiry - 60 < Date().timeIntervalSince1970 { try await refresh() }
        return storage["access_token"] ?? ""
    }

    private func refresh() async throws {
        let body = ["refresh_token": storage["refresh_token"] ?? ""]
        do {
            try await save(reply(to: .post(body, to: server.appending(path: "api/v1/auth/refresh"))))
        } catch {
            // Fault 6: a lost response, a timeout and a 503 are taken for the end of the session.
            signOut()
            throw error
        }
    }

    private func reply(to request: URLRequest) async throws -> TokenReply.Tokens {
        let (data, response) = try await sendRequest(request)
        guard response.statusCode == 200 else { throw UnexpectedStatus(status: response.statusCode) }
        return try JSONDecoder().decode(TokenReply.self, from: data).data
    }

    private func save(_ tokens: TokenReply.Tokens) {
        storage["access_token"] = tokens.accessToken
        storage["refresh_token"] = tokens.refreshToken
        // Fault 7: where the token cannot be decoded, an hour is invented; these tokens expire after 15 minutes.
        let expiry = Self.expiry(of: tokens.accessToken) ?? Date().timeIntervalSince1970 + 3600
        storage["expires_at"] = String(expiry)
    }

    private static func expiry(of token: String) -> TimeInterval? {
        let parts = token.split(separator: ".")
        // Fault 8: a JWT is base64url without padding, which this does not decode: hence the invented hour.
        guard parts.count == 3, let payload = Data(base64Encoded: String(parts[1])) else { return nil }
        return (try? JSONDecoder().decode([String: TimeInterval].self, from: payload))?["exp"]
    }

    func signOut() {
        for key in ["access_token", "refresh_token", "expires_at"] { storage[key] = nil }
    }
}
