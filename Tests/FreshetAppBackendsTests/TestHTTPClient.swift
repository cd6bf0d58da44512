// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetAppBackends
import FreshetTesting
import Testing

/// Sends requests to a double as an app's own client would, and reads the answers.
struct TestHTTPClient {
    let clock = TestClock()
    let backend: AppBackend

    init(_ app: AppBackend.App) { backend = AppBackend(app, clock: clock) }

    /// An answer that arrived.
    struct Answer {
        var response: BackendResponse

        var status: Int { response.status }
        var fields: [String: Any] {
            (try? JSONSerialization.jsonObject(with: response.body)) as? [String: Any] ?? [:]
        }
        /// The keys of the outermost object, sorted.
        var keys: [String] { fields.keys.sorted() }
        var body: String { String(decoding: response.body, as: UTF8.self) }

        func text(_ key: String) throws -> String { try #require(fields[key] as? String) }
        func object(_ key: String) throws -> [String: Any] { try #require(fields[key] as? [String: Any]) }
    }

    func send(_ request: BackendRequest) throws -> Answer {
        guard case .answer(let response) = backend.respond(to: request) else { throw ConnectionClosed() }
        return Answer(response: response)
    }

    func post(_ path: String, _ json: [String: String], bearer: String? = nil) throws -> Answer {
        try send(BackendRequest("POST", path, json: json, bearer: bearer))
    }

    func get(_ path: String, bearer: String? = nil) throws -> Answer {
        var request = BackendRequest("GET", path)
        request.bearer = bearer
        return try send(request)
    }

    /// The connection closed without an answer.
    struct ConnectionClosed: Error {}

    /// The claims of an access token, read as base64url without padding.
    static func claims(_ token: String) throws -> (issuedAt: Double, expiresAt: Double, user: String) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        try #require(parts.count == 3)
        let standard = parts[1].replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - standard.count % 4) % 4)
        let bytes = try #require(Data(base64Encoded: standard + padding))
        let claims = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
        return (
            try #require(claims["iat"] as? Double), try #require(claims["exp"] as? Double),
            try #require(claims["sub"] as? String)
        )
    }
}
