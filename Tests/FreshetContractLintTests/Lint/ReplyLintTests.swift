// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetContract
@testable import FreshetContractLint

@Suite struct `Advice on answers and times` {
    @Test(arguments: [
        LintCase(
            [("/reply/refresh", #"["/refresh", "/access"]"#)],
            error: "$.reply.refresh",
            "Access token and refresh token are both read from '/access'."
        ),
        LintCase(
            [("/reply/tokenType", "\"/type\""), ("/attach", #"{ "scheme": "" }"#)],
            error: "$.reply.tokenType",
            "The token type must equal the scheme of requests, which is empty."
        ),
        LintCase(
            [("/reply/envelope", "\"/data\""), ("/reply/session", "\"/data/id\""), ("/server", nil)],
            warning: "$.reply.session",
            "'/data/id' is looked for inside the envelope '/data', and names the envelope again."
        ),
        LintCase(
            [("/reply/encoding", "\"form\""), ("/reply/user", #"{ "id": "/user/id" }"#)],
            warning: "$.reply.user.id",
            "A form has no nested members, so '/user/id' matches nothing in one."
        ),
        LintCase(
            [("/endpoints/login.code.verify", nil)],
            error: "$.endpoints[\"login.code\"]",
            "Codes are requested, but no endpoint accepts them."
        ),
        LintCase(
            [("/reply/attempt", nil)],
            error: "$.endpoints[\"login.code.verify\"]",
            "It sends the attempt, but no response contains it."
        ),
    ])
    func `contradictory or missing places of response values are reported`(flaw: LintCase) throws { try flaw.check() }

    @Test func `an optional envelope allows a place that repeats the envelope's path`() throws {
        let changes = [("/reply/envelope", "[\"/data\", \"\"]"), ("/reply/session", "\"/data/id\"")]
        #expect(try LintCase.advice(changes) == [])
    }

    private static func message(_ seconds: String, _ lifetime: String, _ path: String) -> String {
        "A token that lives \(lifetime) s (\(path)) cannot be refreshed \(seconds) s before its expiry."
    }

    private static let noServer: (String, String?) = ("/server", nil)
    private static let noAssumption: (String, String?) = ("/reply/expiry", #"[{ "jwt": "exp" }]"#)

    @Test(arguments: [
        LintCase(
            [noServer, ("/policy/refreshBefore", "900")],
            error: "$.policy.refreshBefore",
            message("900", "900", "$.reply.expiry[2].assume")
        ),
        LintCase(
            [noServer, noAssumption, ("/policy/refreshBefore", "4000"), ("/reply/expiryBounds", #"{ "max": 3600 }"#)],
            error: "$.policy.refreshBefore",
            message("4000", "3600", "$.reply.expiryBounds.max")
        ),
        LintCase(
            [noAssumption, ("/policy/refreshBefore", "1000.5")],
            error: "$.policy.refreshBefore",
            message("1000.5", "900", "$.server.lifetimes.access")
        ),
        LintCase(
            [noServer, ("/policy/minimumInterval", "900")],
            error: "$.policy.minimumInterval",
            "A token that lives 900 s ($.reply.expiry[2].assume) is over before it may be refreshed."
        ),
    ])
    func `a refresh policy that does not fit the access token's lifetime is reported`(flaw: LintCase) throws {
        try flaw.check()
    }

    @Test func `a refresh policy that is undeclared or fits the lifetime is not reported`() throws {
        let changes = [("/policy", nil), ("/reply/expiry/2/assume", "10"), ("/server/lifetimes/access", "10")]
        #expect(try LintCase.advice(changes) == [])
        #expect(try LintCase.advice([("/policy/refreshBefore", "899")]) == [])
    }

    @Test(arguments: [
        LintCase(
            [("/reply/expiry", nil)],
            warning: "$.reply",
            "No source states when an access token expires: unless it is a JWT, only its refusal shows that it has expired."
        ),
        LintCase(
            [("/reply/expiry", #"[{ "assume": 900 }, { "in": "/e" }]"#)],
            warning: "$.reply.expiry[1]",
            "An assumed lifetime is used only if no other source has a value, but it precedes this source."
        ),
        LintCase(
            [("/reply/expiry", #"[{ "assume": 900 }, { "assume": 800 }]"#)],
            warning: "$.reply.expiry[1]",
            "An earlier source assumes a lifetime already, so this one is never used."
        ),
        LintCase(
            [("/reply/expiry", #"[{ "in": "/e" }, { "jwt": "exp" }, { "in": "/e", "unit": "s" }]"#)],
            warning: "$.reply.expiry[2]",
            "This source is a duplicate of an earlier one."
        ),
        LintCase(
            [("/reply/refreshExpiry", #"{ "sources": [{ "assume": 9 }, { "in": "/e" }], "extends": true }"#)],
            error: "$.reply.refreshExpiry.sources[1]",
            "An earlier source assumes a lifetime, so this one is never read."
        ),
        LintCase(
            [("/reply/refreshExpiry", #"{ "sources": [], "extends": true }"#)],
            error: "$.reply.refreshExpiry.sources",
            "No source states when the session ends, so 'extends' has no effect."
        ),
        LintCase(
            [("/reply/expiryBounds", #"{ "min": 1000 }"#), noServer],
            error: "$.reply.expiry[2].assume",
            "900 s are not within the bounds 1000 to 315360000 s that are believed."
        ),
        LintCase(
            [("/reply/expiryBounds", #"{ "max": 800 }"#), noAssumption],
            error: "$.server.lifetimes.access",
            "900 s are not within the bounds 0 to 800 s that are believed."
        ),
    ])
    func `a lifetime source that is missing, unreachable or out of bounds is reported`(flaw: LintCase) throws {
        try flaw.check()
    }
}
