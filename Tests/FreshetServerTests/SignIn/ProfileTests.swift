// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import HTTPTypes
import Testing

@testable import FreshetServer

/// The account in the responses to sign-ins, and the profile.
@Suite(.timeLimit(.minutes(5)))
struct `The profile of an account` {
    let server = ServerUnderTest()

    private func code(_ caller: TestHTTPClient, _ intent: Intent = .random()) async throws -> CodeVerification {
        let (attempt, code) = try await caller.code(for: "ann@example.com")
        return CodeVerification(attempt: attempt, code: code, intent: intent.text)
    }

    @Test func `a first sign-in by code and its retry report a new user, and later sign-ins do not`()
        async throws
    {
        try await server.run { caller async throws in
            let first = try await code(caller)
            for _ in 0..<2 {
                let grant: SessionTokens = try await caller.post(NativePath.loginCodeVerify, first).json()
                #expect(grant.isNewUser == true && grant.hasProfile == false)
            }
            server.advance(by: .seconds(1))
            let later: SessionTokens = try await caller.post(NativePath.loginCodeVerify, try await code(caller)).json()
            #expect(later.isNewUser == false)
            let refreshed: SessionTokens = try await caller.refresh(later.refreshToken, .random()).json()
            #expect(refreshed.isNewUser == nil && refreshed.hasProfile == nil)
        }
    }

    @Test func `a sign-up reports a new user, and a later sign-in does not`() async throws {
        try await server.run { caller async throws in
            #expect(try await caller.signUp().isNewUser == true)
            #expect(try await caller.signIn().isNewUser == false)
        }
    }

    @Test func `a user creates, updates in part, reads and deletes a profile that other users cannot read`()
        async throws
    {
        try await server.run { caller async throws in
            let ann = try await caller.signUp(), bob = try await caller.signUp("bob@example.com")
            func put(_ profile: Profile, _ grant: SessionTokens) async throws -> TestHTTPClient.Answer {
                let body = String(decoding: try JSONEncoder().encode(profile), as: UTF8.self)
                return try await caller.send(.put, NativePath.profile, body, bearer: grant.accessToken)
            }
            #expect(try await caller.send(.get, NativePath.profile, bearer: ann.accessToken).status == 404)
            #expect(try await put(Profile(username: " annie "), ann).json() == Profile(username: "annie"))
            let both = Profile(username: "annie", name: "Ann Example")
            #expect(try await put(Profile(name: "Ann Example"), ann).json() == both)
            #expect(try await caller.send(.get, NativePath.profile, bearer: ann.accessToken).json() == both)
            #expect(try await caller.send(.get, NativePath.profile, bearer: bob.accessToken).status == 404)
            #expect(try await caller.signIn().hasProfile == true)
            #expect(try await caller.send(.delete, NativePath.profile, bearer: ann.accessToken).status == 204)
            #expect(try await caller.send(.get, NativePath.profile, bearer: ann.accessToken).status == 404)
            #expect(try await caller.signIn().hasProfile == false)
        }
    }

    @Test(arguments: ["", "  ", "a\u{0}b", String(repeating: "x", count: 201)])
    func `an empty or overlong user name, or one with a null character, is refused`(name: String) async throws {
        try await server.run { caller async throws in
            let ann = try await caller.signUp()
            let body = String(decoding: try JSONEncoder().encode(Profile(username: name)), as: UTF8.self)
            let answer = try await caller.send(.put, NativePath.profile, body, bearer: ann.accessToken)
            #expect(answer.error == "400 invalid_request")
            #expect(try await caller.send(.get, NativePath.profile, bearer: ann.accessToken).status == 404)
        }
    }

    @Test func `a signed-out session cannot change the profile`() async throws {
        try await server.run { caller async throws in
            let ann = try await caller.signUp()
            #expect(try await caller.present(NativePath.logout, ann.refreshToken).status == 204)
            let answer = try await caller.send(
                .put,
                NativePath.profile,
                #"{"username":"annie"}"#,
                bearer: ann.accessToken
            )
            #expect(answer.status == 401)
            #expect(try await caller.signIn().hasProfile == false)
        }
    }
}
