// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetContract
@testable import FreshetContractLint

@Suite struct `Advice on the server's part` {
    @Test(arguments: [
        LintCase(
            [("/server/rotation", "\"static\""), ("/rotation", "\"always\"")],
            error: "$.server.rotation",
            "The server keeps the refresh token, but the client expects a new one (rotation 'always')."
        ),
        LintCase(
            [("/rotation", "\"never\"")],
            error: "$.server.rotation",
            "The server changes the refresh token, but the client never accepts a new one."
        ),
        LintCase(
            [("/server/lifetimes/idle", "800")],
            error: "$.server.lifetimes.access",
            "An access token's lifetime exceeds the session's ('idle' is 800 s): the session expires before its first refresh."
        ),
        LintCase(
            [("/server/lifetimes", #"{ "access": 900, "absolute": 800 }"#)],
            error: "$.server.lifetimes.access",
            "An access token's lifetime exceeds the session's ('absolute' is 800 s): the session expires before its first refresh."
        ),
        LintCase(
            [("/server/lifetimes/absolute", "86000")],
            warning: "$.server.lifetimes.idle",
            "The session expires before the idle time is reached."
        ),
        LintCase(
            [("/server/resources/1/method", "\"GET\"")],
            error: "$.server.resources[1]",
            "GET '/posts' is a duplicate of an earlier one."
        ),
    ])
    func `contradictions in the server section or with the client's part are reported`(flaw: LintCase) throws {
        try flaw.check()
    }

    private static let success: (String, String?) = ("/reply/success", #"{ "at": "/ok", "equals": true }"#)

    @Test(arguments: [
        LintCase([("/server/replies/refresh", nil)], error: "$.server.replies", "There is no reply to 'refresh'."),
        LintCase(
            [("/server/replies/login", nil), ("/endpoints/login.code.verify", nil), ("/endpoints/login.code", nil)],
            error: "$.server.replies",
            "There is no reply to 'login.password'."
        ),
        LintCase(
            [("/server/replies/login/json/access", nil)],
            error: "$.server.replies.login",
            "The client finds no access token in it."
        ),
        LintCase(
            [("/server/replies/refresh/json/access", "\"$refresh_token\"")],
            error: "$.server.replies.refresh",
            "The client finds no access token in it."
        ),
        LintCase(
            [("/server/replies/refresh/json/refresh", nil)],
            error: "$.server.replies.refresh",
            "The client finds no refresh token in it."
        ),
        LintCase(
            [("/server/replies/login/json/refresh", nil), ("/server/rotation", "\"static\"")],
            error: "$.server.replies.login",
            "The client finds no refresh token in it."
        ),
        LintCase(
            [("/server/replies/login.code/json/attempt", "1")],
            error: "$.server.replies[\"login.code\"]",
            "The client finds no attempt in it."
        ),
        LintCase(
            [("/server/replies/login/status", "422")],
            error: "$.server.replies.login",
            "The client classifies it as 'refused'."
        ),
        LintCase(
            [success, ("/server/replies/login/json/ok", "true")],
            error: "$.server.replies.refresh",
            "The client classifies it as 'contractViolation'."
        ),
    ])
    func `a server reply that is missing or unusable for the client is reported`(flaw: LintCase) throws {
        try flaw.check()
    }

    @Test func `tokens are found in envelopes, headers and cookies`() throws {
        let answer = #"""
            { "json": { "Data": { "x": 1 } },
              "headers": { "authorization": "Bearer $access_token", "Set-Cookie": "r=$refresh_token; HttpOnly" } }
            """#
        let changes = [
            ("/reply/access", "\"header:Authorization\""), ("/reply/refresh", "\"cookie:r\""),
            ("/reply/envelope", "\"/data\""),
            ("/reply/anyCasing", "true"), ("/server/replies/login", answer), ("/server/replies/refresh", answer),
            ("/server/replies/login.code/json", #"{ "data": { "attempt": "$attempt" } }"#),
        ]
        #expect(try LintCase.advice(changes) == [])
    }

    @Test func `a sign-in endpoint with its own reply needs no common login reply`() throws {
        let grant = #"{ "json": { "access": "$access_token", "refresh": "$refresh_token" } }"#
        let changes = [
            ("/server/replies/login", nil), ("/server/replies/login.code.verify", grant),
            ("/endpoints/login.password", nil),
        ]
        #expect(try LintCase.advice(changes) == [])
    }

    @Test(arguments: [
        LintCase(
            [("/server/errors/accessExpired/status", "403")],
            error: "$.server.errors.accessExpired",
            "On 'api' the client classifies it as 'forbidden'."
        ),
        LintCase(
            [("/server/errors/sessionEnded/json/error", "\"gone\"")],
            error: "$.server.errors.sessionEnded",
            "On 'refresh' the client classifies it as 'misconfigured'."
        ),
        LintCase(
            [("/server/errors/refused/status", "418")],
            error: "$.server.errors.refused",
            "On 'login' the client classifies it as 'misconfigured'."
        ),
        LintCase(
            [("/server/errors/throttled/status", "503")],
            error: "$.server.errors.throttled",
            "On 'refresh' the client classifies it as 'transient'."
        ),
        LintCase(
            [("/server/errors/invalidRequest/json", #"{ "error": "over" }"#)],
            error: "$.server.errors.invalidRequest",
            "On 'refresh' it would sign the user out."
        ),
        LintCase(
            [("/server/errors/superseded", #"{ "status": 400, "json": { "error": "over" } }"#)],
            error: "$.server.errors.superseded",
            "On 'refresh' it would sign the user out."
        ),
    ])
    func `a server error that the client classifies differently is reported`(flaw: LintCase) throws { try flaw.check() }
}
