// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The fields of a sign-in response that select the next screen.
struct Onboarding: Equatable, Sendable {
    var isNewUser: Bool?
    var hasProfile: Bool?
}

/// An app's own client: its model, its decoder and its calls, on Foundation alone.
protocol OwnClient: Actor {
    /// Signs in with what the app has: a password, a code from a mail, or an identity token.
    func signIn(_ email: String, secret: String) async throws -> Onboarding
    /// Calls the app's resource; refreshes and repeats once after 401.
    func call() async throws -> Int
    func refresh() async throws
    func signOut() async throws
    var accessToken: String? { get set }
    var refreshToken: String? { get }
    /// The answer to the next refresh is lost on its way.
    var losesAnswer: Bool { get set }
}

extension OwnClient {
    func setAccessToken(_ token: String) { accessToken = token }
    func loseAnswer() { losesAnswer = true }
}

/// The plain requests that apps write.
struct PlainHTTP: Sendable {
    struct Failure: Error { var status: Int }

    let address: String

    func send(
        _ method: String,
        _ path: String,
        bearer: String? = nil,
        json: [String: String]? = nil
    ) async throws -> (Int, Data) {
        guard let url = URL(string: address + path) else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.httpMethod = method
        if let bearer { request.setValue("Bearer \(bearer)", forHTTPHeaderField: "Authorization") }
        if let json {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = try JSONEncoder().encode(json)
        }
        let (data, response) = try await URLSessionTransport.shared.data(for: request)
        return (response.statusCode, data)
    }

    /// An answer with another status than 200 is an error.
    func success(
        _ method: String,
        _ path: String,
        bearer: String? = nil,
        json: [String: String]? = nil
    ) async throws -> Data {
        let (status, data) = try await send(method, path, bearer: bearer, json: json)
        guard status == 200 else { throw Failure(status: status) }
        return data
    }
}
