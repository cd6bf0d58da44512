// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ContractFixtures
import Testing

@testable import FreshetContract
@testable import FreshetContractLint

@Suite struct `Response explanations` {
    private typealias Line = ContractExplanation.Line

    private func lines(_ channel: ClassificationRule.Channel, _ rules: String, _ changes: [(String, String?)] = [])
        throws -> [Line]
    {
        var json = ValidContract.json.replacing("/classify", with: try JSONParser.parse(rules.utf8))
        for (place, value) in changes {
            json = json.replacing(place, with: try value.map { try JSONParser.parse($0.utf8) })
        }
        return ContractExplanation.answers(try ContractDocument(json), on: channel)?.lines ?? []
    }

    @Test(
        arguments: [
            (#""status": 401"#, "401"), (#""status": [400, "401-403", "5xx"]"#, "400, 401-403 or 5xx"),
            (#""note": "any""#, "anything else"),
            (#""if": { "at": "/e", "equals": "x" }"#, "/e is \"x\""),
            (#""if": { "at": "/e", "oneOf": [1, null] }"#, "/e is 1 or null"),
            (#""status": 400, "if": { "at": "header:X", "contains": "y" }"#, "400, the header X contains \"y\""),
            (
                #""if": [{ "at": "cookie:c", "exists": true }, { "at": "/e", "exists": false }]"#,
                "the cookie c is there, /e is not there"
            ),
        ]
    )
    func `the explanation of a rule names its status and conditions`(rule: String, comes: String) throws {
        let lines = try lines(.api, #"[{ "on": "api", "outcome": "transient", \#(rule) }]"#)
        guard case .answer(comes, _, _, _)? = lines.first else {
            Issue.record("\(lines)")
            return
        }
    }

    @Test(
        arguments: [
            (#""outcome": "sessionEnded""#, "the session is over"),
            (#""outcome": "sessionEnded", "reason": "unknown""#, "the session is over"),
            (#""outcome": "sessionEnded", "reason": "expired""#, "the session is over (expired)"),
            (
                #""outcome": "sessionEnded", "reason": "fork", "reasonAt": "/r""#,
                "the session is over (reason at /r, else fork)"
            ),
            (#""outcome": "superseded""#, "a newer refresh token is in use"),
            (#""outcome": "stepUp""#, "the user has to authenticate again"),
            (#""outcome": "contractViolation""#, "the response violates the contract"),
            (#""outcome": "refused""#, "it is refused"),
            (#""outcome": "accessExpired""#, "the access token has expired"),
            (#""outcome": "throttled""#, "too many requests"),
        ]
    )
    func `the explanation of a rule states the meaning of its outcome`(rule: String, means: String) throws {
        let lines = try lines(.refresh, #"[{ "on": "refresh", "status": 418, \#(rule) }]"#)
        guard case .answer("418", means, _, nil)? = lines.first else {
            Issue.record("\(lines)")
            return
        }
    }

    @Test func `the explanation lists the contract's own rules before the default rules`() throws {
        let lines = try lines(.api, #"[{ "on": "api", "status": "4xx", "outcome": "forbidden", "note": "why" }]"#)
        let hands = "passes it to the app; the session stays"
        #expect(
            lines == [
                .answer(comes: "4xx", means: "the user lacks the permission", does: hands, note: "why"),
                .sentence("Otherwise, as with every backend:"),
                .answer(comes: "408, 425 or 5xx", means: "nothing can be concluded", does: hands, note: nil),
                .answer(comes: "anything else", means: "the requested result", does: hands, note: nil),
            ]
        )
    }

    @Test func `the explanation of a socket rule names its close codes`() throws {
        let lines = try lines(
            .socket,
            #"[{ "on": "socket", "close": [4401, "4403-4404"], "outcome": "accessExpired" }]"#
        )
        #expect(
            lines.first
                == .answer(
                    comes: "close 4401 or 4403-4404",
                    means: "the access token has expired",
                    does: "refreshes, then connects again",
                    note: nil
                )
        )
    }

    @Test(arguments: ["confirm", "report", "socket", "logout", "refresh", "login"])
    func `the explanation is empty for a channel that the contract does not have`(text: String) throws {
        let channel = try #require(ClassificationRule.Channel(rawValue: text))
        let changes: [(String, String?)] = [
            ("/rotation", "\"none\""), ("/socket", nil), ("/server", nil), ("/endpoints", "{}"), ("/variables", nil),
        ]
        #expect(try lines(channel, "[]", changes) == [])
    }

    @Test func `the explanation states that the user is signed out only for an ended session`() {
        for channel in ClassificationRule.Channel.allCases {
            for outcome in ClassificationRule.Outcome.allCases {
                for isConfirmed in [true, false] {
                    let phrase = ClientAction.phrase(outcome, on: channel, isConfirmed: isConfirmed)
                    let isEnd = outcome == .sessionEnded && (channel == .refresh || channel == .report)
                    #expect(phrase.hasPrefix("signs the user out") == isEnd, "\(channel) \(outcome)")
                }
            }
        }
    }

    @Test func `the explanation mentions the confirmation of tokens only for a confirmed rotation`() {
        #expect(
            ClientAction.phrase(.delivered, on: .refresh, isConfirmed: true)
                == "stores the new tokens, then uses and confirms them"
        )
        #expect(
            ClientAction.phrase(.delivered, on: .refresh, isConfirmed: false) == "stores the new tokens, then uses them"
        )
        #expect(ClientAction.phrase(.superseded, on: .refresh, isConfirmed: true).contains("reports"))
        #expect(ClientAction.phrase(.refused, on: .logout, isConfirmed: true) == "retries the sign-out later")
        #expect(ClientAction.phrase(.refused, on: .logout, isConfirmed: false).hasPrefix("is done"))
    }

    @Test(
        arguments: [
            (0, "0 seconds"), (1, "1 second"), (59, "59 seconds"), (60, "1 minute"), (90, "90 seconds"),
            (300, "5 minutes"), (3600, "1 hour"),
            (5400, "90 minutes"), (86_400, "1 day"), (604_800, "7 days"), (129_600, "36 hours"), (0.5, "0.5 seconds"),
        ] as [(Double, String)]
    )
    func `a duration is printed in the largest unit that divides it evenly`(seconds: Double, phrase: String) {
        #expect(Phrasing.time(seconds) == phrase)
    }
}
