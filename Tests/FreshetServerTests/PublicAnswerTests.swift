// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire
import HTTPTypes
import Testing

@testable import FreshetIdentity
@testable import FreshetServer

/// Properties of every response, and data that no response contains.
@Suite(.timeLimit(.minutes(5)))
struct `Public responses` {
    private let server = ServerUnderTest()

    @Test func `the key set contains each key's id, use and algorithm, and no private value`() async throws {
        try await server.run { caller in
            _ = try caller.parts.keyReloader.administration.add(.signing, now: server.readClock())
            caller.parts.keyReloader.reload()
            let answer = try await caller.send(.get, NativePath.keySet)
            let set = try #require(try JSONSerialization.jsonObject(with: answer.body) as? [String: [[String: String]]])
            let keys = try #require(set["keys"])
            #expect(Set(keys.map { $0["kid"] }).count == 2)
            for key in keys {
                #expect(Set(key.keys) == ["kty", "crv", "use", "alg", "kid", "x", "y"])
                #expect(key["use"] == "sig" && key["alg"] == "ES256" && key["crv"] == "P-256")
            }
            // A client that caches the key set for its max-age knows a new key before its first use.
            let age = try #require(answer.headers[.cacheControl]?.firstMatch(of: /max-age=(\d+)/)?.1)
            #expect(Duration.seconds(try #require(Int(age))) < caller.parts.configuration.keys.activationDelay)
        }
    }

    @Test func `responses contain no CORS header fields, regardless of the origin`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            for origin in ["https://evil.example", "null", "http://localhost"] {
                let headers: HTTPFields = [.origin: origin, .contentType: "application/json"]
                let answers = [
                    try await caller.send(.get, NativePath.me, bearer: grant.accessToken, headers: headers),
                    try await caller.send(.get, NativePath.keySet, headers: headers),
                    try await caller.send(.post, NativePath.loginPassword, "{}", headers: headers),
                    try await caller.send(.options, NativePath.refresh, headers: headers),
                ]
                for answer in answers {
                    #expect(!answer.headers.contains { $0.name.canonicalName.hasPrefix("access-control-") })
                }
                #expect(answers[3].status == 405)
            }
        }
    }

    @Test func `responses are not cacheable, be they successes or errors`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            for path in [NativePath.me, NativePath.sessions] {
                let answer = try await caller.send(.get, path, bearer: grant.accessToken)
                #expect(answer.headers[.cacheControl] == "no-store")
                #expect(answer.headers[.contentType] == "application/json")
                #expect(try await caller.send(.get, path).headers[.cacheControl] == "no-store")
            }
            #expect(try await caller.refresh(grant.refreshToken, .random()).headers[.cacheControl] == "no-store")
            #expect(try await caller.refresh("nonsense", .random()).headers[.cacheControl] == "no-store")
            #expect(try await caller.send(.get, "/nowhere").headers[.cacheControl] == "no-store")
        }
    }

    @Test func `a disabled password sign-up is refused alike for known and unknown addresses`() async throws {
        var configuration = server.configuration
        configuration.signIn.allowsPasswordSignUp = false
        try await server.run(configuration) { caller in
            let sent = try await caller.code(for: "ann@example.com")
            let verification = CodeVerification(attempt: sent.attempt, code: sent.code)
            let grant: SessionTokens = try await caller.post(NativePath.loginCodeVerify, verification).json()
            var told: Set<String> = []
            for email in ["ann@example.com", "nobody@example.com"] {
                let answer = try await caller.post(
                    NativePath.signup,
                    PasswordCredentials(email: email, password: "correct horse")
                )
                told.insert(answer.error)
            }
            #expect(told == ["400 invalid_request"])
            let update = PasswordUpdate(newPassword: "correct horse")
            #expect(try await caller.post(NativePath.password, update, bearer: grant.accessToken).status == 204)
            #expect(try await caller.signIn().user.email == "ann@example.com")
        }
    }
}
