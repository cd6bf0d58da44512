// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ContractFixtures
import Testing

@testable import FreshetContract

@Suite struct `Mistakes in rules` {
    private static let status = "This must be a number from 100 to 599, a class like '4xx', or a range like '400-403'."
    private static let close = "This must be a number from 1000 to 4999, or a range like '4000-4999'."
    private static let reasons = ClassificationRule.reasons.sorted().joined(separator: ", ")
    private static let channels = "'api', 'login', 'refresh', 'logout', 'confirm', 'report', 'socket'"
    private static let noEnd =
        "says nothing about the session: 'sessionEnded' cannot follow from 429 or 5xx. "
        + "Name other statuses, or say 'transient'."

    @Test(arguments: [
        DiagnosticCase("/classify", "{}", "$.classify", "A list is expected here, not an object of 0."),
        DiagnosticCase("/classify/2", "\"x\"", "$.classify[2]", "An object is expected here, not a string."),
        DiagnosticCase("/classify/2/on", nil, "$.classify[2]", "The key 'on' is missing."),
        DiagnosticCase("/classify/2/on", "[]", "$.classify[2].on", "This list must not be empty."),
        DiagnosticCase("/classify/2/on", "\"http\"", "$.classify[2].on", "'http' must be one of \(channels)."),
        DiagnosticCase("/classify/1/on/1", "\"http\"", "$.classify[1].on[1]", "'http' must be one of \(channels)."),
        DiagnosticCase("/classify/2/outcome", nil, "$.classify[2]", "The key 'outcome' is missing."),
        DiagnosticCase(
            "/classify/0/reason",
            "\"bored\"",
            "$.classify[0].reason",
            "'bored' is not a reason; the reasons are \(reasons)."
        ),
        DiagnosticCase("/classify/0/reason", "7", "$.classify[0].reason", "A string is expected here, not a number."),
        DiagnosticCase(
            "/classify/0/reasonAt",
            "\"x\"",
            "$.classify[0].reasonAt",
            "'x' names no place; write '/pointer', 'header:Name' or 'cookie:Name'."
        ),
        DiagnosticCase(
            "/classify/2/reason",
            "\"expired\"",
            "$.classify[2]",
            "Only the outcome 'sessionEnded' has a reason."
        ),
        DiagnosticCase(
            "/classify/2/reasonAt",
            "\"/a\"",
            "$.classify[2]",
            "Only the outcome 'sessionEnded' has a reason."
        ),
        DiagnosticCase("/classify/0/note", "7", "$.classify[0].note", "A string is expected here, not a number."),
        DiagnosticCase(
            "/classify/2/outcome",
            "\"superseded\"",
            "$.classify[2]",
            "Only a refresh or a report can be superseded."
        ),
        DiagnosticCase(
            "/classify/3/on",
            "\"api\"",
            "$.classify[3].close",
            "Only sockets have close codes; 'on' must be 'socket' alone."
        ),
        DiagnosticCase("/classify/3/status", "401", "$.classify[3]", "Only one of status, close is allowed here."),
    ])
    func `mistakes in classification rules are reported with their location`(mistake: DiagnosticCase) throws {
        #expect(try mistake.told() == [ContractDiagnostic(path: mistake.path, sentence: mistake.sentence)])
    }

    @Test(arguments: [
        "99", "600", "401.5", "1e99", "true", "null", "\"\"", "\"xx\"", "\"0xx\"", "\"6xx\"", "\"4XX\"", "\"٤xx\"",
        "\"401\"", "\"-xx\"", "\"400-\"", "\"403-400\"", "\"400--403\"", "\"-400-403\"", "\"+400-+403\"", "\"400-600\"",
        "\"400-401-402\"",
    ])
    func `an invalid status is reported`(value: String) throws {
        let mistake = DiagnosticCase("/classify/2/status", value, "$.classify[2].status", Self.status)
        #expect(try mistake.told() == [ContractDiagnostic(path: mistake.path, sentence: mistake.sentence)])
    }

    @Test(arguments: ["999", "5000", "\"4xx\"", "\"4000-5000\"", "\"x\"", "{}"])
    func `an invalid close code is reported`(value: String) throws {
        let mistake = DiagnosticCase("/classify/3/close", value, "$.classify[3].close", Self.close)
        #expect(try mistake.told() == [ContractDiagnostic(path: mistake.path, sentence: mistake.sentence)])
    }

    @Test(arguments: ["status", "close"])
    func `an empty list of statuses or close codes is reported`(key: String) throws {
        let rule = key == "status" ? 2 : 3
        let mistake = DiagnosticCase(
            "/classify/\(rule)/\(key)",
            "[]",
            "$.classify[\(rule)].\(key)",
            "This list must not be empty."
        )
        #expect(try mistake.told() == [ContractDiagnostic(path: mistake.path, sentence: mistake.sentence)])
    }

    @Test(
        arguments: [
            ("429", "Status 429"), ("500", "Status 500"), ("\"4xx\"", "Status 400-499"), ("\"5xx\"", "Status 500-599"),
            ("[401, \"499-501\"]", "Status 499-501"),
        ]
    )
    func `a rule that matches status 429 or a server error cannot end a session`(status: String, shown: String) throws {
        let mistake = DiagnosticCase("/classify/0/status", status, "$.classify[0].status", "\(shown) \(Self.noEnd)")
        #expect(try mistake.told() == [ContractDiagnostic(path: mistake.path, sentence: mistake.sentence)])
    }

    @Test func `a rule without a status or a condition cannot end a session`() throws {
        let rule = #"{ "on": "refresh", "outcome": "sessionEnded" }"#
        let sentence = "A rule that ends the session needs a status or a condition."
        let mistake = DiagnosticCase("/classify/0", rule, "$.classify[0]", sentence)
        #expect(try mistake.told() == [ContractDiagnostic(path: mistake.path, sentence: mistake.sentence)])
    }

    @Test(
        arguments: [
            ("401", [401...401]), ("401.0", [401...401]), ("\"4xx\"", [400...499]), ("\"400-403\"", [400...403]),
            ("[401, \"5xx\", \"403-403\"]", [401...401, 500...599, 403...403]), ("\"100-599\"", [100...599]),
        ] as [(String, [ClosedRange<Int>])]
    )
    func `a rule accepts statuses as numbers, classes and ranges`(text: String, ranges: [ClosedRange<Int>]) throws {
        let json = FullContract.json.replacing("/classify/2/status", with: try JSONParser.parse(text.utf8))
        #expect(try ContractDocument(json).rules[2].statuses == ranges)
    }
}
