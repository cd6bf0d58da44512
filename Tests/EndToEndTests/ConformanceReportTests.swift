// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetKit
import Testing

@testable import freshet

/// The report of the live test, and what is judged without a backend.
@Suite struct `A report of the live test` {
    private static func report(_ findings: [ConformanceFinding]) -> ConformanceReport {
        ConformanceReport(contract: "weak", baseURL: "http://127.0.0.1:9", findings: findings)
    }

    private static let findings = [
        ConformanceFinding(.signIn, "200", "delivered", .agrees),
        ConformanceFinding(
            .expiredAccessToken,
            "403 expired “a message that goes on and on, for longer than a column of the table is wide”",
            "forbidden",
            .differs,
            weaknesses: ["an expired access token is answered with 403, not 401"],
            advice: "Add a rule."
        ),
        ConformanceFinding(.caching, "none", "", .unspecified, weaknesses: ["w", "w"]),
        .skipped(.logout, "the contract has none"),
    ]

    @Test func `a contract test's report lists a table, differences, weaknesses and a verdict, in this order`() {
        let lines = ConformanceTable(report: Self.report(Self.findings), width: 90).lines
        #expect(lines.allSatisfy { $0.count <= 90 })
        for (step, result) in [("sign-in", "yes"), ("expired", "NO"), ("Cache-Control", "open"), ("sign-out", "-")] {
            #expect(lines.contains { $0.hasPrefix(step) && $0.hasSuffix(" \(result)") }, "\(step)")
        }
        let text = lines.joined(separator: "\n")
        let order = [
            "sign-in ", "expired access token ", "Differences:", "  - expired access token. Add a rule.",
        ]
        let rest = ["Weaknesses of the backend:", "  - an expired access token is answered", "  - w", "differ: 1 of 2"]
        var place = text.startIndex
        for part in order + rest {
            guard let found = text.range(of: part, range: place..<text.endIndex) else {
                Issue.record("\(part) is not there, or too early")
                return
            }
            place = found.upperBound
        }
        #expect(lines.count { $0 == "  - w" } == 1)
        #expect(lines.last == "weak and http://127.0.0.1:9 differ: 1 of 2 (1 left open by the contract, 1 not tried).")
    }

    @Test func `a report without a difference or weakness prints only the table and the verdict`() {
        let lines = ConformanceTable(report: Self.report([Self.findings[0]])).lines
        #expect(
            lines == [
                "step     the backend  the contract  agree",
                "─────────────────────────────────────────",
                "sign-in  200          delivered     yes",
                "",
                "weak and http://127.0.0.1:9 agree: 1 of 1 (0 left open by the contract, 0 not tried).",
            ]
        )
    }

    @Test func `a report in which every step was skipped or unspecified does not agree`() {
        let report = Self.report([.skipped(.logout, "the contract has none"), Self.findings[2]])
        #expect(!report.agrees)
        #expect(ConformanceTable(report: report).lines.last?.contains("nothing was compared") == true)
    }

    @Test func `a report is encoded as one JSON object`() throws {
        let data = try JSONEncoder().encode(Self.report(Self.findings))
        let object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(object["agrees"] as? Bool == false)
        #expect(object["base_url"] as? String == "http://127.0.0.1:9")
        #expect(object["weaknesses"] as? [String] == ["an expired access token is answered with 403, not 401", "w"])
        let findings = try #require(object["findings"] as? [[String: Any]])
        #expect(findings.map { $0["step"] as? String } == ["sign_in", "expired_access_token", "caching", "logout"])
        #expect(findings[1]["agreement"] as? String == "differs")
        #expect(findings[1]["advice"] as? String == "Add a rule.")
    }

    @Test(
        arguments: [
            ("", 5, [""]), ("ab cd", 5, ["ab cd"]), ("ab cd", 4, ["ab", "cd"]),
            ("abcdefg h", 3, ["abc", "def", "g h"]),
            ("  ab\n cd ", 9, ["ab cd"]), ("ab abcdef", 3, ["ab", "abc", "def"]),
        ] as [(String, Int, [String])]
    )
    func `table cells are wrapped at spaces, and longer texts are split`(text: String, width: Int, lines: [String]) {
        #expect(ConformanceTable.wrapped(text, width) == lines)
    }

    @Test(
        arguments: [
            (Rotation.always, .new, .agrees), (.always, .same, .differs), (.always, .none, .differs),
            (.never, .new, .differs), (.never, .same, .agrees), (.never, .none, .agrees), (.optional, .new, .agrees),
            (.optional, .none, .agrees), (.confirmed, .new, .agrees), (.confirmed, .same, .differs),
            (.sliding, .none, .agrees),
        ] as [(Rotation, ConformanceFinding.Successor, ConformanceFinding.Agreement)]
    )
    func `a rotation finding compares the refresh token in a response with the contract's rotation`(
        rotation: Rotation,
        successor: ConformanceFinding.Successor,
        agreement: ConformanceFinding.Agreement
    ) {
        let finding = ConformanceFinding.rotation(successor, rotation)
        #expect(finding.agreement == agreement)
        #expect((finding.advice == nil) == (agreement == .agrees))
        #expect(finding.weaknesses.isEmpty == (successor == .new || rotation == .sliding))
    }

    @Test func `an expiry finding compares the expiries in a response with the contract's expiry sources`() throws {
        let place = try #require(Selector("/expires_in"))
        let inAnswer = ExpirySource.lifetime(place, .seconds, since: nil)
        let told = ConformanceFinding.expiry([ExpiryClaim(inAnswer, 300)], claimed: 300, unread: nil)
        #expect(told.agreement == .agrees && told.weaknesses.isEmpty)
        let contradicting = ConformanceFinding.expiry([ExpiryClaim(inAnswer, 3600)], claimed: 300, unread: nil)
        #expect(contradicting.weaknesses == ["the reply says 3600 s, the token itself 300 s"])
        let token = ConformanceFinding.expiry([ExpiryClaim(.token, 300)], claimed: 300, unread: nil)
        #expect(token.agreement == .agrees)
        #expect(token.weaknesses == ["no expires_in: only the token itself contains its expiry"])
        let unread = ConformanceFinding.expiry([ExpiryClaim(.token, 300)], claimed: 300, unread: "/expires_in")
        #expect(unread.agreement == .differs && unread.advice?.contains(#""in": "/expires_in""#) == true)
        let silent = [ExpiryClaim(inAnswer, nil)]
        #expect(ConformanceFinding.expiry(silent, claimed: nil, unread: nil).agreement == .differs)
        let assuming = silent + [ExpiryClaim(.assumed(300), 300)]
        #expect(ConformanceFinding.expiry(assuming, claimed: nil, unread: nil).agreement == .unspecified)
    }

    @Test func `a clock finding reports the skew of the Date header and of iat`() {
        #expect(ConformanceFinding.clock(skew: 3, tokenSkew: -4).weaknesses == [])
        #expect(ConformanceFinding.clock(skew: 60, tokenSkew: 0).weaknesses.count == 1)
        #expect(ConformanceFinding.clock(skew: 0, tokenSkew: -90).backend == "Date: right; iat: 90 s behind")
        #expect(ConformanceFinding.clock(skew: nil, tokenSkew: nil).weaknesses.count == 1)
    }

    @Test func `a backend's response is summarised as its status, code and message`() {
        let reaction = ConformanceReaction(status: 400, outcome: .forbidden, rule: 2, code: "code", message: "text")
        #expect(reaction.summary == "400 code “text”")
        #expect(reaction.interpretation == "forbidden, by classify[2]")
        #expect(
            ConformanceReaction(status: 401, outcome: .sessionEnded(.reuse)).interpretation == "sessionEnded (reuse)"
        )
        let long = ConformanceReaction(status: 400, outcome: .forbidden, message: String(repeating: "x", count: 100))
        #expect(long.summary.count < 70)
    }

    @Test(arguments: ["eyJh.eyJz.c2lnbmF0dXJl", "opaque-token", "abc", "a.b.", "...", "é", ""])
    func `a tampered token differs from the original, and a tampered JWT keeps its header and payload`(token: String) {
        let altered = TamperedToken.tampered(token)
        #expect(altered != token)
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count == 3, !parts[2].isEmpty {
            #expect(altered.count == token.count)
            #expect(altered.last == token.last)
            #expect(altered.hasPrefix("\(parts[0]).\(parts[1])."))
        }
    }

    @Test func `the plan of a contract test lists its requests and contains no password or token`() throws {
        let contract = try WeakBackend.contract().document
        let baseURL = try #require(URL(string: "http://127.0.0.1:9"))
        let values = ["username": "ann", "password": "secret"]
        var plan = ConformancePlan(contract: contract, baseURL: baseURL, signIn: .fields(.password, values))
        let lines = plan.lines.joined(separator: "\n")
        for part in ["http://127.0.0.1:9", "as ann", "`me`", "used refresh tokens", "signs out", "wrong password"] {
            #expect(lines.contains(part), "\(part)")
        }
        #expect(!lines.contains("secret"))
        plan.call = try ContractTestCommand.call(["post", "/a/b?c=d"], relativeTo: baseURL)
        #expect(plan.call?.method == "POST")
        #expect(plan.call?.address.absoluteString == "http://127.0.0.1:9/a/b?c=d")
        #expect(plan.lines.joined().contains("POST http://127.0.0.1:9/a/b?c=d"))
        let grant = ConformancePlan.SignIn.tokens(TokenGrant(accessToken: "secret"))
        let given = ConformancePlan(contract: contract, baseURL: baseURL, signIn: grant).lines.joined()
        #expect(given.contains("ends their session") && !given.contains("wrong password") && !given.contains("secret"))
    }

    @Test func `a lifetime below five seconds in a response leads to advice about its unit`() throws {
        let place = try #require(Selector("/expires_in"))
        for (source, seconds) in [
            (ExpirySource.lifetime(place, .milliseconds, since: nil), 0.9),
            (.instant(place, .milliseconds), -1_798_200_000),
        ] {
            let finding = ConformanceFinding.expiry([ExpiryClaim(source, seconds)], claimed: nil, unread: nil)
            #expect(finding.agreement == .differs)
            #expect(finding.advice?.contains("Check `unit` of /expires_in in `reply.expiry`") == true)
        }
        let lifetime = ExpirySource.lifetime(place, .seconds, since: nil)
        #expect(ConformanceFinding.expiry([ExpiryClaim(lifetime, 5)], claimed: nil, unread: nil).agreement == .agrees)
    }
}
