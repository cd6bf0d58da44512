// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import GRDB
import HTTPTypes
import ServerFixtures
import Testing

@testable import FreshetIdentity
@testable import FreshetServer

/// Every public error, caused by a request that deserves it.
@Suite(.timeLimit(.minutes(5)))
struct `Public errors` {
    let server = ServerUnderTest()

    @Test(
        arguments: [
            ("", "the body is not JSON"), ("{", "the body is not JSON"), ("[]", "the body is not a JSON object"),
            ("{}", "refresh_token is missing"), (#"{"refresh_token":7}"#, "refresh_token has the wrong type"),
            (#"{"refresh_token":null}"#, "refresh_token has the wrong type"),
            (#"{"refresh_token":"frt_","intent":"short"}"#, nil),
        ] as [(String, String?)]
    )
    func `an invalid request body is refused with 400`(body: String, description: String?) async throws {
        try await server.run { caller in
            let answer = try await caller.send(.post, NativePath.refresh, body)
            let error: ErrorBody = try answer.json()
            #expect(answer.status == 400)
            if let description {
                #expect(error.error == "invalid_request")
                #expect(error.errorDescription == description)
            }
            #expect(error.requestID?.isEmpty == false)
            #expect(answer.headers[.cacheControl] == "no-store")
            #expect(answer.headers[.contentType] == "application/json")
        }
    }

    @Test func `a refresh with a missing intent or one of the wrong length is refused with 400`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            let short = RefreshRequest(refreshToken: grant.refreshToken, intent: "AAAA")
            #expect(try await caller.post(NativePath.refresh, short).error == "400 invalid_request")
            #expect(try await caller.refresh(grant.refreshToken, nil).error == "400 invalid_request")
            #expect(try await caller.refresh(grant.refreshToken, .random()).status == 200)
        }
    }

    @Test func `a forged refresh token is refused with 400, and the session continues`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            let token = try RefreshToken(grant.refreshToken)
            var body = token.body
            body.generation = 9
            let forged = RefreshToken(body: body, mac: token.mac)
            let stranger = RefreshToken(
                body: RefreshTokenPayload(keyID: 1, session: .random(), generation: 0),
                mac: token.mac
            )
            for text in ["", "x", "frt_AAAA", forged.text, stranger.text, String(repeating: "x", count: 9000)] {
                for path in [NativePath.confirm, NativePath.report, NativePath.logout] {
                    #expect(try await caller.present(path, text).error == "400 invalid_grant")
                }
                #expect(try await caller.refresh(text, .random()).error == "400 invalid_grant")
            }
            #expect(try await caller.refresh(grant.refreshToken, .random()).status == 200)
        }
    }

    @Test func `a request without a valid access token gets 401 with a challenge as in RFC 6750`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            let without = try await caller.send(.get, NativePath.me)
            #expect(without.error == "401 invalid_token")
            #expect(without.headers[.wwwAuthenticate] == "Bearer")

            let bad = try await caller.send(.get, NativePath.me, bearer: grant.accessToken + "x")
            #expect(bad.error == "401 invalid_token")
            #expect(bad.headers[.wwwAuthenticate]?.hasPrefix(#"Bearer error="invalid_token""#) == true)

            let basic = try await caller.send(.get, NativePath.me, headers: [.authorization: "Basic eDp5"])
            #expect(basic.headers[.wwwAuthenticate] == "Bearer")
            let lower = try await caller.send(
                .get,
                NativePath.me,
                headers: [.authorization: "bearer \(grant.accessToken)"]
            )
            #expect(lower.status == 200)
        }
    }

    @Test func `a request with two Authorization fields is refused with 400, even if one is valid`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            var headers = HTTPFields()
            headers.append(HTTPField(name: .authorization, value: "Bearer \(grant.accessToken)"))
            headers.append(HTTPField(name: .authorization, value: "Bearer x"))
            let answer = try await caller.send(.get, NativePath.me, headers: headers)
            #expect(answer.error == "400 invalid_request")
        }
    }

    @Test func `a valid access token of a deleted account is refused with 401`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            try await server.openDatabase().write {
                try $0.execute(sql: "DELETE FROM users")
            }
            let answer = try await caller.send(.get, NativePath.me, bearer: grant.accessToken)
            #expect(answer.error == "401 invalid_token")
            #expect(answer.headers[.wwwAuthenticate]?.contains("the account was deleted") == true)
        }
    }

    @Test func `a late reuse of a plain-mode refresh token is refused with 400 and ends the session`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            try await server.openDatabase().write {
                try $0.execute(
                    sql: "UPDATE sessions SET mode = ?",
                    arguments: [Int(RotationState.Mode.plain.rawValue)]
                )
            }
            let next: SessionTokens = try await caller.refresh(grant.refreshToken, nil).json()
            let third: SessionTokens = try await caller.refresh(next.refreshToken, nil).json()
            #expect(try await caller.refresh(grant.refreshToken, nil).error == "409 superseded")
            server.advance(by: .seconds(61))
            #expect(try await caller.refresh(grant.refreshToken, nil).error == "400 invalid_grant reuse")
            #expect(try await caller.refresh(third.refreshToken, nil).error == "400 invalid_grant reuse")
            #expect(caller.log.lines.contains { $0["message"] == "session ended" && $0["reason"] == "reuse" })
        }
    }

    @Test func `unknown paths, wrong methods and wrong content types are refused with 404, 405 and 415`() async throws {
        try await server.run { caller in
            let unknown = try await caller.send(.get, "/v1/nothing")
            #expect(unknown.error == "404 not_found")
            #expect(try await caller.send(.get, "/").error == "404 not_found")
            let wrong = try await caller.send(.get, NativePath.refresh)
            #expect(wrong.error == "405 method_not_allowed")
            #expect(wrong.headers[.allow] == "POST")
            #expect(try await caller.send(.put, NativePath.me).headers[.allow] == "GET, HEAD")
            for type in ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""] {
                let answer = try await caller.send(
                    .post,
                    NativePath.refresh,
                    #"{"refresh_token":""}"#,
                    headers: [.contentType: type]
                )
                #expect(answer.error == "415 unsupported_media_type")
            }
            let charset = try await caller.send(
                .post,
                NativePath.refresh,
                #"{"refresh_token":""}"#,
                headers: [.contentType: "application/JSON; charset=utf-8"]
            )
            #expect(charset.error == "400 invalid_grant")
        }
    }

    @Test func `a superseded refresh token and a sign-up with a used address are refused with 409`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            let next: SessionTokens = try await caller.refresh(grant.refreshToken, .random()).json()
            _ = try await caller.present(NativePath.confirm, next.refreshToken)
            #expect(try await caller.refresh(grant.refreshToken, .random()).error == "409 superseded")
            let twice = PasswordCredentials(email: " ANN@example.com", password: "another horse")
            #expect(try await caller.post(NativePath.signup, twice).error == "409 conflict")
        }
    }

    @Test func `a request body over the size limit is refused with 413`() async throws {
        try await server.run { caller in
            let large = #"{"refresh_token":"\#(String(repeating: "x", count: 20_000))"}"#
            let answer = try await caller.send(.post, NativePath.refresh, large)
            #expect(answer.error == "413 content_too_large")
            #expect(try await caller.send(.get, NativePath.live).status == 200)
        }
    }

    @Test func `too many sign-in attempts or code requests are refused with 429 and Retry-After`() async throws {
        var configuration = server.configuration
        configuration.signIn.limits.attemptsFromNetwork = RateLimit(capacity: 2, interval: .seconds(30))
        configuration.signIn.limits.codesFromNetwork = RateLimit(capacity: 1, interval: .seconds(60))
        try await server.run(configuration) { caller in
            _ = try await caller.signUp()
            let wrong = PasswordCredentials(email: "ann@example.com", password: "wrong horse")
            for _ in 0..<2 {
                #expect(try await caller.post(NativePath.loginPassword, wrong).error == "400 invalid_grant")
            }
            let limited = try await caller.post(NativePath.loginPassword, wrong)
            #expect(limited.error == "429 too_many_requests")
            #expect(limited.headers[.retryAfter] == "30")

            _ = try await caller.code(for: "bob@example.com")
            let again = try await caller.post(NativePath.loginCode, CodeRequest(email: "bob@example.com"))
            #expect(again.error == "429 too_many_requests")
            #expect(again.headers[.retryAfter] == "60")
        }
    }

    @Test func `a response with status 500 does not describe the cause`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            try await server.openDatabase().write {
                try $0.execute(sql: "DROP TABLE sessions")
            }
            let answer = try await caller.refresh(grant.refreshToken, .random())
            #expect(answer.error == "500 server_error")
            let error: ErrorBody = try answer.json()
            #expect(error.errorDescription == nil)
            #expect(try await caller.send(.get, NativePath.ready).error == "503 unavailable")
            #expect(try await caller.send(.get, NativePath.live).status == 200)
        }
    }

    @Test(arguments: [
        "UPDATE sessions SET reason = 'logout'", "UPDATE sessions SET intent = x'00'",
    ])
    func `a refresh of a session with damaged data gets 500 without a reason`(damage: String)
        async throws
    {
        try await server.run { caller in
            let grant = try await caller.signUp()
            try await server.openDatabase().write {
                try $0.execute(sql: damage)
            }
            for _ in 1...2 {
                #expect(try await caller.refresh(grant.refreshToken, .random()).error == "500 server_error")
            }
            #expect(caller.log.messages.contains("unexpected"))
        }
    }

    @Test func `a refresh token with an unknown version or key is refused with 503 and Retry-After`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            let token = try RefreshToken(grant.refreshToken)
            let later = "frt_" + Base64URL.encode([2] + token.body.bytes.dropFirst() + token.mac)
            var body = token.body
            body.keyID = 9
            for text in [later, RefreshToken(body: body, mac: token.mac).text] {
                let answer = try await caller.refresh(text, .random())
                #expect(answer.error == "503 unavailable")
                #expect(answer.headers[.retryAfter] == "30")
            }
            #expect(try await caller.refresh(grant.refreshToken, .random()).status == 200)
        }
    }

    @Test(arguments: [
        ("no address", "long enough"), ("a@b", "short"), ("a@b", String(repeating: "x", count: 257)),
    ])
    func `a sign-up with an invalid address or password is refused with 400`(email: String, password: String)
        async throws
    {
        try await server.run { caller in
            let answer = try await caller.post(
                NativePath.signup,
                PasswordCredentials(email: email, password: password)
            )
            #expect(answer.error == "400 invalid_request")
        }
    }

    @Test func `a wrong password and an unknown account are refused with the same response`() async throws {
        try await server.run { caller in
            _ = try await caller.signUp()
            let bodies = try await [("ann@example.com", "wrong horse"), ("bob@example.com", "correct horse")]
                .asyncMap { email, password -> [String?] in
                    let answer = try await caller.post(
                        NativePath.loginPassword,
                        PasswordCredentials(email: email, password: password)
                    )
                    let error: ErrorBody = try answer.json()
                    return ["\(answer.status)", error.error, error.errorDescription, error.reason]
                }
            #expect(bodies[0] == bodies[1])
        }
    }
}

extension Sequence where Element: Sendable {
    func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
