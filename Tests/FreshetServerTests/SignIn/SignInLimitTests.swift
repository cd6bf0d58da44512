// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import GRDB
import HTTPTypes
import ServerFixtures
import Testing

@testable import FreshetDatabase
@testable import FreshetIdentity
@testable import FreshetMetrics
@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `Limits of tries` {
    let server = ServerUnderTest()

    private var configuration: ServerConfiguration {
        var configuration = server.behindProxy
        configuration.signIn.limits.attemptsFromNetwork = RateLimit(capacity: 2, interval: .seconds(600))
        configuration.signIn.limits.failuresFromUnknownOrigins = RateLimit(capacity: 5, interval: .seconds(600))
        configuration.signIn.limits.codesFromUnknownOrigins = RateLimit(capacity: 3, interval: .seconds(600))
        return configuration
    }

    @Test func `limits that other clients exhaust do not affect the owner's known device`() async throws {
        try await server.run(configuration) { caller async throws in
            let owner = try await caller.signUp()
            for source in ["192.0.2.1", "192.0.2.2"] {
                for _ in 1...2 {
                    #expect(try await caller.signIn(password: "wrong horse", from: source).error == "400 invalid_grant")
                }
                let limited = try await caller.signIn(password: "correct horse", from: source)
                #expect(limited.error == "429 too_many_requests")
            }
            // Another place is another budget, until the account's own is used up.
            #expect(try await caller.signIn(password: "wrong horse", from: "192.0.2.3").error == "400 invalid_grant")
            let stranger = try await caller.signIn(password: "correct horse", from: "192.0.2.4")
            #expect(stranger.error == "429 too_many_requests")
            let known = try await caller.signIn(
                password: "correct horse",
                knownDevice: owner.refreshToken,
                from: "192.0.2.4"
            )
            #expect(known.status == 200)

            // A device that signed out is still known; one whose session ended by theft, and another's, are not.
            _ = try await caller.present(NativePath.logout, owner.refreshToken)
            let signedOut = try await caller.signIn(password: "correct horse", knownDevice: owner.refreshToken)
            #expect(signedOut.status == 200)
            let other = try await caller.signUp("bob@example.com")
            let foreign = try await caller.signIn(password: "correct horse", knownDevice: other.refreshToken)
            #expect(foreign.error == "429 too_many_requests")
            let grant: SessionTokens = try signedOut.json()
            _ = try await caller.refresh(grant.refreshToken, .random())
            #expect(try await caller.refresh(grant.refreshToken, .random()).error == "400 invalid_grant fork")
            let stolen = try await caller.signIn(password: "correct horse", knownDevice: grant.refreshToken)
            #expect(stolen.error == "429 too_many_requests")
        }
    }

    @Test func `devices that signed out before an address proof or a password reset are no longer known`()
        async throws
    {
        try await server.run(configuration) { caller async throws in
            func request(_ path: String, by device: SessionTokens) async throws -> (status: Int, code: CodeVerification)
            {
                let request = CodeRequest(email: "ann@example.com", knownDevice: device.refreshToken)
                let answer = try await caller.post(path, request, from: "198.51.100.1")
                let kind = path == NativePath.loginCode ? "login code" : "reset code"
                let sent = caller.sentCode(kind)
                return (answer.status, CodeVerification(attempt: sent?.attempt ?? "", code: sent?.code ?? ""))
            }
            let stranger = try await caller.signUp()
            _ = try await caller.present(NativePath.logout, stranger.refreshToken)
            // A device without a takeover is known after its sign-out, however many strangers ask.
            for number in 1...3 {
                let codes = CodeRequest(email: "ann@example.com")
                #expect(try await caller.post(NativePath.loginCode, codes, from: "192.0.2.\(number)").status == 202)
            }
            let (status, code) = try await request(NativePath.loginCode, by: stranger)
            #expect(status == 202)
            let owner: SessionTokens = try await caller.post(NativePath.loginCodeVerify, code).json()
            #expect(try await request(NativePath.loginCode, by: stranger).status == 429)

            // The clock stands still otherwise.
            server.advance(by: .seconds(1))
            // A thief with the password, until the owner chooses another one.
            _ = try await caller.present(NativePath.logout, owner.refreshToken)
            let (granted, reset) = try await request(NativePath.passwordReset, by: owner)
            #expect(granted == 202)
            let update = ["attempt": reset.attempt, "code": reset.code, "new_password": "another horse"]
            #expect(try await caller.post(NativePath.password, update).status < 300)
            #expect(try await request(NativePath.loginCode, by: owner).status == 429)
        }
    }

    @Test func `a superseded refresh token does not identify a known device`() async throws {
        try await server.run(configuration) { caller async throws in
            let first = try await caller.signUp()
            let second: SessionTokens = try await caller.refresh(first.refreshToken, .random()).json()
            let third: SessionTokens = try await caller.refresh(second.refreshToken, .random()).json()
            for number in 1...3 {
                let codes = CodeRequest(email: "ann@example.com")
                #expect(try await caller.post(NativePath.loginCode, codes, from: "192.0.2.\(number)").status == 202)
            }
            // The newest one has been issued, and not yet been presented.
            for (token, status) in [(first, 429), (second, 202), (third, 202)] {
                let codes = CodeRequest(email: "ann@example.com", knownDevice: token.refreshToken)
                #expect(try await caller.post(NativePath.loginCode, codes, from: "198.51.100.1").status == status)
            }
        }
    }

    @Test func `the code limit of an account applies across networks, but not to a known device`() async throws {
        try await server.run(configuration) { caller async throws in
            let owner = try await caller.signUp()
            let paths = [NativePath.loginCode, NativePath.passwordReset, NativePath.loginCode]
            for (number, path) in paths.enumerated() {
                let answer = try await caller.post(
                    path,
                    CodeRequest(email: "ann@example.com"),
                    from: "192.0.2.\(number)"
                )
                #expect(answer.status == 202)
            }
            let refused = try await caller.post(
                NativePath.loginCode,
                CodeRequest(email: "Ann@example.com"),
                from: "198.51.100.1"
            )
            #expect(refused.error == "429 too_many_requests")
            let known = CodeRequest(email: "ann@example.com", knownDevice: owner.refreshToken)
            #expect(try await caller.post(NativePath.loginCode, known, from: "198.51.100.1").status == 202)
        }
    }

    @Test func `attempt budgets are stored as digests across a restart, and deleted once full again`() async throws {
        try await server.run(configuration) { caller async throws in
            _ = try await caller.signUp()
            for _ in 1...2 { _ = try await caller.signIn(password: "wrong horse") }
        }
        try await server.run(configuration) { caller async throws in
            #expect(try await caller.signIn(password: "correct horse").error == "429 too_many_requests")
        }
        let rows = try await server.openDatabase().read {
            try String.fetchAll($0, sql: "SELECT key FROM attempt_budgets")
        }
        #expect(!rows.isEmpty)
        // Only digests: the table names nobody.
        #expect(rows.allSatisfy { !$0.contains("@") && !$0.contains(".") })
        server.advance(by: .seconds(3600))
        try await server.run(configuration) { caller async throws in
            #expect(try await caller.signIn(password: "correct horse").status == 200)
        }
        let left = try await server.openDatabase().read {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM attempt_budgets")
        }
        // That one attempt, for the account in its network and for the network: a success is no failure.
        #expect(left == 2)
    }

    @Test func `the request limit of an IPv6 network applies to all its addresses, regardless of the account`()
        async throws
    {
        var configuration = configuration
        configuration.signIn.limits.requestsFromNetwork = RateLimit(capacity: 3, interval: .seconds(600))
        try await server.run(configuration) { caller async throws in
            for number in 1...3 {
                let request = CodeRequest(email: "a\(number)@example.com")
                #expect(try await caller.post(NativePath.loginCode, request, from: "2001:db8::\(number)").status == 202)
            }
            let request = CodeRequest(email: "a4@example.com")
            let limited = try await caller.post(NativePath.loginCode, request, from: "2001:db8::4")
            #expect(limited.error == "429 too_many_requests")
            #expect(try await caller.post(NativePath.loginCode, request, from: "2001:db8:0:1::4").status == 202)
            #expect(caller.log.lines.contains { $0["message"] == "login code" })
        }
    }

    @Test func `rate limits ignore forwarded addresses from an untrusted proxy`() async throws {
        var configuration = configuration
        configuration.signIn.trustedProxies = []
        try await server.run(configuration) { caller async throws in
            let grant = try await caller.signUp()
            for number in 1...2 { _ = try await caller.signIn(password: "wrong horse", from: "192.0.2.\(number)") }
            let limited = try await caller.signIn(password: "correct horse", from: "192.0.2.9")
            #expect(limited.error == "429 too_many_requests")
            #expect(try await caller.sessions(grant).first?.place == "127.0.0.1")
        }
    }

    @Test func `failed sign-ins are limited per network, the limit is logged once, and successes do not count`()
        async throws
    {
        try await server.run(server.behindProxy) { caller async throws in
            let message = "a network has no failed sign-ins left; its further attempts get 429"
            for number in 1...40 {
                let account = PasswordCredentials(email: "u\(number)@example.com", password: "correct horse")
                #expect(try await caller.post(NativePath.signup, account, from: "192.0.2.1").status == 201)
            }
            #expect(!caller.log.messages.contains(message))
            for number in 1...29 {
                let wrong = PasswordCredentials(email: "u\(number)@example.com", password: "wrong horse")
                let answer = try await caller.post(NativePath.loginPassword, wrong, from: "192.0.2.77")
                #expect(answer.error == "400 invalid_grant")
            }
            #expect(!caller.log.messages.contains(message))
            for number in 30...60 {
                let wrong = PasswordCredentials(email: "v\(number)@example.com", password: "wrong horse")
                let answer = try await caller.post(NativePath.loginPassword, wrong, from: "192.0.2.77")
                #expect(answer.error == (number == 30 ? "400 invalid_grant" : "429 too_many_requests"))
            }
            let lines = caller.log.lines.filter { $0["message"] == message }
            #expect(lines.map { $0["network"] } == ["192.0.2.77"])
            let metrics = caller.parts.metrics.text
            #expect(metrics.contains(#"freshet_networks_limited_total{operation="signInFailure"} 1"#))
            #expect(metrics.contains(#"freshet_rate_limited_total{limit="signInFailure by network"} 30"#))
            // An account that signed in from there before is not among strangers.
            let known = PasswordCredentials(email: "u1@example.com", password: "correct horse")
            #expect(try await caller.post(NativePath.loginPassword, known, from: "192.0.2.1").status == 200)
        }
    }

    @Test func `an address proof or a password reset deletes the account's other known networks`() async throws {
        try await server.run(server.behindProxy) { caller async throws in
            let ann = try #require(EmailAddress("ann@example.com"))
            func known(_ network: String) throws -> Bool {
                try caller.database.readNow {
                    try KnownNetworkTable.accounts.has(network, of: ann, since: Timestamp(milliseconds: 0), in: $0)
                }
            }
            let squatter = PasswordCredentials(email: ann.text, password: "correct horse")
            #expect(try await caller.post(NativePath.signup, squatter, from: "192.0.2.66").status == 201)
            #expect(try known("192.0.2.66"))
            let request = CodeRequest(email: ann.text)
            #expect(try await caller.post(NativePath.loginCode, request, from: "203.0.113.7").status == 202)
            let sent = try #require(caller.sentCode("login code"))
            let proof = CodeVerification(attempt: sent.attempt, code: sent.code)
            #expect(try await caller.post(NativePath.loginCodeVerify, proof, from: "203.0.113.7").status == 200)
            #expect(try !known("192.0.2.66"))
            #expect(try known("203.0.113.7"))
            // A thief with the password, until the owner chooses another one.
            #expect(try await caller.post(NativePath.passwordReset, request, from: "203.0.113.7").status == 202)
            let reset = try #require(caller.sentCode("reset code"))
            try await caller.database.durably { database in
                let now = Timestamp.system()
                try KnownNetworkTable.accounts.insert("192.0.2.99", of: ann, at: now, in: database)
            }
            let update = ["attempt": reset.attempt, "code": reset.code, "new_password": "another horse"]
            let done = try await caller.post(NativePath.password, update, from: "203.0.113.7")
            #expect(done.status < 300)
            #expect(try !known("192.0.2.99"))
            #expect(try known("203.0.113.7"))
        }
    }
}
