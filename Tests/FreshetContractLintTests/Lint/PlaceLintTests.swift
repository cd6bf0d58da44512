// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetContract
@testable import FreshetContractLint

@Suite struct `Advice on hosts, sockets, storage and names` {
    @Test(arguments: [
        "api.example.com", "API.Example.com", "localhost", "localhost:8080", "127.0.0.1", "10.0.0.1:1", "[::1]",
        "[::1]:8443",
        "https://api.example.com", "my_service:65535", "xn--bcher-kva.example", "a", "1.example",
    ])
    func `a valid host is not reported`(text: String) throws {
        #expect(ContractLint.isHost(text))
        #expect(try LintCase.advice([("/attach", #"{ "hosts": ["\#(text)"] }"#)]) == [])
    }

    @Test(arguments: [
        "*.example.com", "example.com/", "example.com/api", "https://", "ftp://a", "a b", ".example.com",
        "example.com.", "a..b", "-a", "a-",
        "a:", "a:0", "a:65536", "a:b", "a:1:2", "::1", "[]", "[::1", "[x]", "[::1]x", "user@a", "é.example",
        "https://https://a?",
    ])
    func `an invalid host is reported`(text: String) throws {
        try LintCase(
            [("/attach", #"{ "hosts": ["a.example", "\#(text)"] }"#)],
            error: "$.attach.hosts[1]",
            "'\(text)' is not a host, so no request would carry the token."
        ).check()
    }

    private static let noServer: (String, String?) = ("/server", nil)

    @Test(arguments: [
        LintCase(
            [("/attach", #"{ "hosts": ["a.example", "A.example"] }"#)],
            warning: "$.attach.hosts[1]",
            "'A.example' is a duplicate of an earlier one."
        ),
        LintCase(
            [("/attach", #"{ "hosts": ["http://a.example"] }"#)],
            warning: "$.attach.hosts[0]",
            "An attacker on the network path to 'http://a.example' can read the token."
        ),
        LintCase(
            [("/socket/token", #"{ "query": "t" }"#)],
            warning: "$.socket.token.query",
            "The access token stands in the URL ('t'), which servers and proxies write into their logs."
        ),
        LintCase(
            [("/socket/token", #"{ "subprotocol": "token" }"#)],
            error: "$.socket.token.subprotocol",
            "It does not hold the access token."
        ),
        LintCase(
            [("/socket/token", #"{ "message": { "op": "hello" } }"#)],
            error: "$.socket.token.message",
            "It does not hold the access token."
        ),
        LintCase(
            [("/socket/renewal", #"{ "message": [] }"#)],
            error: "$.socket.renewal.message",
            "It does not hold the access token."
        ),
        LintCase(
            [("/classify", withSocketRule), ("/socket", nil), noServer],
            warning: "$.classify[2]",
            "The contract has no socket for it."
        ),
        LintCase(
            [("/storage/imports", #"[{ "access": "a" }, { "access": "a" }]"#)],
            warning: "$.storage.imports[1]",
            "The same items are listed before."
        ),
        LintCase(
            [("/storage/imports", #"[{ "access": "a", "refresh": { "item": "a" } }]"#)],
            warning: "$.storage.imports[0].refresh",
            "This is the place of the access token."
        ),
        LintCase(
            [("/variables/spare", "{}")],
            warning: "$.variables.spare",
            "Nothing uses this variable, and the app must give it."
        ),
        LintCase([("/secrets", #"{ "spare": {} }"#)], warning: "$.secrets.spare", "Nothing uses this secret."),
        LintCase(
            [("/contract", "1.1"), ("/policy/jitter", "0.5")],
            warning: "$.policy.jitter",
            "The key 'jitter' is not known. The keys here are refreshBefore, minimumInterval."
        ),
    ])
    func `flaws in hosts, sockets, storage and variables are reported with their location`(flaw: LintCase) throws {
        try flaw.check()
    }

    private static let withSocketRule = #"""
        [{ "on": "refresh", "status": 400, "if": { "at": "/error", "equals": "over" }, "outcome": "sessionEnded" },
         { "on": "api", "status": 401, "outcome": "accessExpired" },
         { "on": "socket", "status": 403, "outcome": "accessExpired" }]
        """#

    @Test func `lint errors precede warnings, and each description is a single line`() throws {
        let advice = try LintCase.advice([
            ("/variables/spare", "{}"), ("/attach", #"{ "hosts": ["*"] }"#), ("/endpoints/logout", nil),
            ("/reply/attempt", nil),
        ])
        #expect(advice.map(\.severity) == [.error, .error, .warning, .warning])
        #expect(
            advice[1].description
                == "$.attach.hosts[0]: error: '*' is not a host, so no request would carry the token. "
                + "Give the full host name, with its port if it is not the default: 'api.example.com', 'localhost:8080'."
        )
    }

    @Test func `a lint finding replaces control and bidirectional characters of the contract`() throws {
        let advice = try LintCase.advice([("/attach", #"{ "hosts": ["\u001b[2J\u202e"] }"#)])
        #expect(
            advice.map(\.problem) == ["'\u{FFFD}[2J\u{FFFD}' is not a host, so no request would carry the token."]
        )
    }
}
