// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetContract
@testable import FreshetContractLint

@Suite struct `Advice on rotation` {
    private static let noServer: (String, String?) = ("/server", nil)

    @Test func `a valid contract has no lint findings`() throws { #expect(try LintCase.advice([]) == []) }

    @Test(arguments: [
        ("optional", [noServer]), ("always", [noServer]),
        (
            "confirmed",
            [
                noServer, ("/endpoints/refresh/form/intent", "\"$intent\""), ("/endpoints/confirm", confirm),
                ("/endpoints/report", confirm), ("/classify/1", superseded),
            ]
        ),
    ])
    func `a rotating refresh token in synchronized storage is reported`(rotation: String, changes: [(String, String?)])
        throws
    {
        let changes = changes + [("/rotation", "\"\(rotation)\"")]
        #expect(try LintCase.advice(changes) == [])
        try LintCase(
            changes + [("/storage/synchronizable", "true")],
            error: "$.storage.synchronizable",
            "The session is synchronized between a user's devices while its refresh token rotates ('\(rotation)'): "
                + "each device invalidates the others' copies."
        ).check()
    }

    @Test func `a refresh token that never changes may be synchronized between devices`() throws {
        let changes = [
            ("/rotation", "\"never\""), ("/storage/synchronizable", "true"), ("/server/rotation", "\"static\""),
        ]
        #expect(try LintCase.advice(changes) == [])
    }

    private static let confirm = #"{ "path": "/x", "json": "$refresh_token" }"#
    private static let superseded = #"{ "on": "refresh", "status": 409, "outcome": "superseded" }"#
    private static let confirmed: [(String, String?)] = [
        noServer, ("/rotation", "\"confirmed\""), ("/endpoints/refresh/form/intent", "\"$intent\""),
        ("/endpoints/confirm", confirm), ("/endpoints/report", confirm), ("/classify/1", superseded),
    ]
    private static let sliding: [(String, String?)] = [
        noServer, ("/rotation", "\"sliding\""), ("/reply/refresh", nil), ("/endpoints/refresh/form", nil),
        ("/endpoints/refresh/attach", "true"), ("/endpoints/logout", #"{ "path": "/out", "attach": true }"#),
        ("/variables", nil), ("/storage", nil),
    ]
    private static let none: [(String, String?)] = [
        noServer, ("/rotation", "\"none\""), ("/reply/refresh", nil), ("/endpoints/refresh", nil),
        ("/endpoints/logout", #"{ "path": "/out", "attach": true }"#), ("/variables", nil), ("/storage", nil),
    ]

    @Test func `a contract without a refresh needs no rule that ends the session`() throws {
        let rules = #"[{ "on": "api", "status": 401, "outcome": "accessExpired" }]"#
        #expect(try LintCase.advice(Self.none + [("/classify", rules)]) == [])
    }

    @Test func `valid contracts with confirmed, sliding or no rotation have no lint findings`() throws {
        for changes in [Self.confirmed, Self.sliding, Self.none] { #expect(try LintCase.advice(changes) == []) }
    }

    @Test(arguments: [
        LintCase(
            sliding + [("/reply/refresh", "\"/refresh\"")],
            error: "$.reply.refresh",
            "The rotation is 'sliding', so there is no refresh token to read."
        ),
        LintCase(
            none + [("/reply/refresh", "\"/refresh\"")],
            error: "$.reply.refresh",
            "The rotation is 'none', so there is no refresh token to read."
        ),
        LintCase(
            sliding + [("/endpoints/refresh/json", "\"$refresh_token\"")],
            error: "$.endpoints.refresh",
            "It sends a refresh token, and with rotation 'sliding' there is none."
        ),
        LintCase(
            sliding + [("/endpoints/refresh/attach", nil)],
            error: "$.endpoints.refresh",
            "The access token renews itself, but this request does not send it."
        ),
        LintCase(
            [("/endpoints/refresh/form/token", "\"$access_token\"")],
            error: "$.endpoints.refresh",
            "It does not send the refresh token."
        ),
        LintCase(
            [("/reply/refresh", nil), ("/server", nil)],
            error: "$.reply",
            "No response contains a refresh token, so a session of this contract can never be refreshed."
        ),
        LintCase(
            sliding + [("/storage", #"{ "imports": [{ "access": "a", "refresh": "r" }] }"#)],
            warning: "$.storage.imports[0].refresh",
            "With rotation 'sliding' a refresh token has no use."
        ),
    ])
    func `requests, responses and imports that contradict the rotation are reported`(flaw: LintCase) throws {
        try flaw.check()
    }

    @Test func `tokens that the app supplies need no place in a response`() throws {
        let names = ["login.password", "login.code", "login.code.verify"]
        let changes = names.map { ("/endpoints/\($0)", String?.none) } + [("/reply/refresh", nil), ("/server", nil)]
        #expect(try LintCase.advice(changes) == [])
    }

    @Test(arguments: [
        ("never", "no refresh token is ever used up"), ("sliding", "no refresh token is ever used up"),
        ("none", "no refresh token is ever used up"),
        ("confirmed", "Freshet's own protocol answers a repeat without a time limit"),
    ])
    func `a reuse grace period that has no effect is reported`(rotation: String, why: String) throws {
        let changes: [(String, String?)] =
            switch rotation {
            case "never": [Self.noServer, ("/rotation", "\"never\"")]
            case "sliding": Self.sliding
            case "none": Self.none
            default: Self.confirmed
            }
        try LintCase(
            changes + [("/reuseGrace", "30")],
            warning: "$.reuseGrace",
            "A grace period for used refresh tokens has no effect here: \(why)."
        ).check()
        #expect(try LintCase.advice([("/reuseGrace", "30")]) == [])
    }

    @Test(arguments: [
        LintCase(
            [("/endpoints/confirm", confirm)],
            warning: "$.endpoints.confirm",
            "Only the rotation 'confirmed' calls it, and here it is 'optional'."
        ),
        LintCase(
            [("/endpoints/report", confirm)],
            warning: "$.endpoints.report",
            "Only the rotation 'confirmed' calls it, and here it is 'optional'."
        ),
        LintCase(
            confirmed + [("/endpoints/refresh/form/intent", nil)],
            error: "$.endpoints.refresh",
            "The rotation is 'confirmed', and the refresh sends no intent."
        ),
        LintCase(
            confirmed + [("/endpoints/confirm/json", nil)],
            error: "$.endpoints.confirm",
            "It does not send the refresh token."
        ),
        LintCase(
            confirmed + [("/endpoints/report/json", nil)],
            error: "$.endpoints.report",
            "It does not send the refresh token."
        ),
        LintCase(
            confirmed + [("/classify/1", #"{ "on": "api", "status": 401, "outcome": "accessExpired" }"#)],
            error: "$.classify",
            "No response to a refresh means 'superseded', so a stolen refresh token is not detected."
        ),
    ])
    func `missing or misplaced parts of the confirmed rotation are reported`(flaw: LintCase) throws {
        try flaw.check()
    }
}
