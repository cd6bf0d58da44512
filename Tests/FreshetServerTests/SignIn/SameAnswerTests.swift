// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import HTTPTypes
import ServerFixtures
import Testing

@testable import FreshetDatabase
@testable import FreshetIdentity
@testable import FreshetServer

/// Neither the response nor the work behind it reveals whether an address has an account.
@Suite(.timeLimit(.minutes(5)))
struct `Known and unknown accounts` {
    let server = ServerUnderTest()

    /// The operations behind a response that take time: hashes, and commits forced to the disk.
    private struct Cost: Hashable {
        var status: Int
        var error: String
        var hashes: Int
        var flushes: Int
    }

    private func cost(_ caller: TestHTTPClient, _ path: String, _ body: some Encodable) async throws -> Cost {
        let (hashes, flushes) = (
            caller.hasher.hashes, caller.database.flushes
        )
        let answer = try await caller.post(path, body, from: "192.0.2.1")
        return Cost(
            status: answer.status,
            error: answer.error,
            hashes: caller.hasher.hashes - hashes,
            flushes: caller.database.flushes - flushes
        )
    }

    @Test func `requests for known and unknown accounts get the same response at the same cost`() async throws {
        var configuration = server.behindProxy
        let plenty = RateLimit(capacity: 1000, interval: .seconds(1))
        configuration.signIn.limits.attemptsFromNetwork = plenty
        configuration.signIn.limits.codesFromNetwork = plenty
        configuration.signIn.limits.codesFromUnknownOrigins = plenty
        try await server.run(configuration) { caller async throws in
            _ = try await caller.signUp("ann@example.com")
            // An account without a password.
            let sent = try await caller.code(for: "bob@example.com")
            _ = try await caller.post(
                NativePath.loginCodeVerify,
                CodeVerification(attempt: sent.attempt, code: sent.code)
            )
            var costs: [String: Set<Cost>] = [:]
            for email in ["ann@example.com", "bob@example.com", "nobody@example.com"] {
                let password = PasswordCredentials(email: email, password: "wrong horse")
                costs["password", default: []].insert(try await cost(caller, NativePath.loginPassword, password))
                let request = CodeRequest(email: email)
                costs["code", default: []].insert(try await cost(caller, NativePath.loginCode, request))
                costs["reset", default: []].insert(try await cost(caller, NativePath.passwordReset, request))
                let asked: CodeAttempt = try await caller.post(NativePath.passwordReset, request).json()
                let wrong = PasswordUpdate(newPassword: "a new horse", attempt: asked.attempt, code: "wrong")
                costs["wrong code", default: []].insert(try await cost(caller, NativePath.password, wrong))
            }
            #expect(costs["password"] == [Cost(status: 400, error: "400 invalid_grant", hashes: 1, flushes: 0)])
            #expect(costs["code"] == [Cost(status: 202, error: "202", hashes: 0, flushes: 1)])
            #expect(costs["reset"] == [Cost(status: 202, error: "202", hashes: 0, flushes: 1)])
            #expect(costs["wrong code"] == [Cost(status: 400, error: "400 invalid_grant", hashes: 0, flushes: 1)])
            // Mail goes to those alone who have an account, and later than the answer.
            #expect(!caller.log.lines.contains { $0["message"] == "reset code" && $0["email"] == "nobody@example.com" })
        }
    }
}
