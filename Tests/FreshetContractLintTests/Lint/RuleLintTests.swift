// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetContract
@testable import FreshetContractLint

@Suite struct `Advice on rules` {
    /// A rule after the two that are there.
    private static func rule(_ text: String) -> [(String, String?)] {
        let ended =
            #"{ "on": "refresh", "status": 400, "if": { "at": "/error", "equals": "over" }, "outcome": "sessionEnded" }"#
        let expired =
            #"{ "on": "api", "status": 401, "if": { "at": "/error", "equals": "old" }, "outcome": "accessExpired" }"#
        return [("/classify", "[\(ended), \(expired), \(text)]"), ("/server", nil)]
    }

    @Test(arguments: [
        LintCase(
            rule(#"{ "on": "login", "status": 410, "outcome": "sessionEnded" }"#),
            error: "$.classify[2]",
            "On 'login' there is no session to end yet."
        ),
        LintCase(
            rule(#"{ "on": "api", "status": 401, "outcome": "sessionEnded" }"#),
            error: "$.classify[2]",
            "A plain 401 on 'api' means that the access token has expired, not the session."
        ),
        LintCase(
            rule(#"{ "on": "socket", "status": "400-402", "outcome": "sessionEnded" }"#),
            error: "$.classify[2]",
            "A plain 401 on 'socket' means that the access token has expired, not the session."
        ),
        LintCase(
            rule(#"{ "on": "api", "status": 403, "outcome": "sessionEnded" }"#),
            error: "$.classify[2]",
            "A plain 403 on 'api' may also come from a firewall or a missing permission."
        ),
        LintCase(
            rule(#"{ "on": "refresh", "status": [401, "2xx"], "outcome": "sessionEnded" }"#),
            error: "$.classify[2]",
            "A status that is not an error ends the session."
        ),
        LintCase(
            rule(#"{ "on": "refresh", "status": [401, 408], "outcome": "sessionEnded" }"#),
            error: "$.classify[2]",
            "Status 408 asks the client to retry; it says nothing about the session."
        ),
        LintCase(
            rule(#"{ "on": "refresh", "status": 425, "outcome": "sessionEnded" }"#),
            error: "$.classify[2]",
            "Status 425 asks the client to retry; it says nothing about the session."
        ),
        LintCase(
            rule(#"{ "on": "refresh", "status": 403, "outcome": "sessionEnded" }"#),
            warning: "$.classify[2]",
            "A plain 403 may also come from a firewall."
        ),
        LintCase(
            rule(#"{ "on": "refresh", "status": 404, "outcome": "sessionEnded" }"#),
            warning: "$.classify[2]",
            "A plain 404 may also come from a wrong base URL."
        ),
        LintCase(
            rule(#"{ "on": "refresh", "if": { "at": "/access", "exists": false }, "outcome": "sessionEnded" }"#),
            error: "$.classify[2]",
            "The rule has no status and requires no value, so errors of proxies end the session as well."
        ),
        LintCase(
            rule(#"{ "on": "socket", "close": "1011-1011", "outcome": "sessionEnded" }"#),
            error: "$.classify[2]",
            "Close code 1011 means a server's fault, not the end of the session."
        ),
    ])
    func `a rule that ends the session on insufficient evidence is reported`(flaw: LintCase) throws { try flaw.check() }

    @Test(arguments: [
        #"{ "on": "refresh", "status": [401, 410], "outcome": "sessionEnded" }"#,
        #"{ "on": "api", "status": [401, 403], "if": { "at": "/error", "equals": "gone" }, "outcome": "sessionEnded" }"#,
        #"{ "on": "refresh", "status": 200, "if": { "at": "/error", "exists": true }, "outcome": "sessionEnded" }"#,
        #"{ "on": "refresh", "if": { "at": "/error", "contains": "revoked" }, "outcome": "sessionEnded" }"#,
        #"{ "on": "socket", "close": 4401, "outcome": "sessionEnded" }"#,
        #"{ "on": "refresh", "status": 403, "outcome": "stepUp" }"#,
        #"{ "on": ["api", "login"], "status": 418, "outcome": "refused" }"#,
    ])
    func `a rule with a sufficient condition is not reported`(text: String) throws {
        #expect(try LintCase.advice(Self.rule(text)) == [])
    }

    @Test(arguments: ["refresh", "login", "confirm", "report"])
    func `a rule for an expired access token on a channel that sends none is reported`(channel: String) throws {
        try LintCase(
            Self.rule(#"{ "on": "\#(channel)", "status": 418, "outcome": "accessExpired" }"#),
            error: "$.classify[2]",
            "Requests on '\(channel)' present no access token that could have expired."
        ).check()
    }

    @Test(arguments: ["refused", "forbidden"])
    func `a rule with the outcome refused or forbidden for a refresh is reported`(outcome: String) throws {
        try LintCase(
            Self.rule(#"{ "on": "refresh", "status": 418, "outcome": "\#(outcome)" }"#),
            warning: "$.classify[2]",
            "The client cannot act on '\(outcome)' for a refresh: it keeps the session and reports a fault to the app."
        ).check()
    }

    @Test func `a 401 may have another outcome if an earlier rule covers the expired access token`() throws {
        #expect(try LintCase.advice(Self.rule(#"{ "on": "api", "status": 401, "outcome": "forbidden" }"#)) == [])
    }

    @Test(arguments: [
        LintCase(
            [("/classify/0", #"{ "on": "login", "status": 400, "outcome": "refused" }"#), ("/server", nil)],
            error: "$.classify",
            "No response to a refresh ends the session: with an invalid token the client retries forever."
        ),
        LintCase(
            [("/classify/1/outcome", "\"forbidden\""), ("/server", nil)],
            warning: "$.classify[1]",
            "It matches every 401 on 'api', so no response means that the access token has expired."
        ),
        LintCase(
            rule(
                #"""
                { "on": "api", "if": [{ "at": "/e", "equals": 1 }, { "at": "/e", "exists": false }], "outcome": "forbidden" }
                """#
            ),
            error: "$.classify[2].if",
            "No response meets both conditions on '/e', so the rule never applies."
        ),
    ])
    func `outcomes and rules that no response can reach are reported`(flaw: LintCase) throws { try flaw.check() }

    @Test func `rules that overlap only partly are not reported`() throws {
        let rules = #"""
            [{ "on": "refresh", "status": 401, "outcome": "sessionEnded" },
             { "on": "refresh", "status": "400-428", "outcome": "transient" },
             { "on": "api", "status": 401, "if": { "at": "/e", "equals": 1 }, "outcome": "stepUp" },
             { "on": "api", "status": 401, "outcome": "accessExpired" }]
            """#
        #expect(try LintCase.advice([("/classify", rules), ("/server", nil)]) == [])
    }

    @Test(arguments: [
        LintCase(
            rule(
                #"{ "on": "refresh", "status": 400, "if": { "at": "/error", "equals": "over" }, "outcome": "transient" }"#
            ),
            error: "$.classify[2]",
            "This rule never holds: $.classify[0] matches every such response first."
        ),
        LintCase(
            rule(
                #"{ "on": "refresh", "status": 400, "if": { "at": "/error", "equals": "over" }, "outcome": "sessionEnded" }"#
            ),
            warning: "$.classify[2]",
            "This rule never holds: $.classify[0] matches every such response first."
        ),
        LintCase(
            rule(
                #"""
                { "on": ["refresh", "login"], "status": 400, "if": { "at": "/error", "equals": "over" }, "outcome": "transient" }
                """#
            ),
            error: "$.classify[2]",
            "On 'refresh' this rule never holds: $.classify[0] matches every such response first."
        ),
    ])
    func `a rule that an earlier rule shadows is reported`(flaw: LintCase) throws { try flaw.check() }
}
