// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetCommandLine

/// The results of the demo.
struct DemoReport: Encodable {
    /// One act, and whether its result was as expected.
    struct Act: Encodable {
        var title: String
        var held: Bool
        var finding: String
    }

    var acts: [Act]
    /// The number of requests, counted by the server.
    var requests: Int
    var refreshes: Int
    /// The number of dropped responses, counted by the network.
    var answersDropped: Int
    /// The number of answered calls, counted by the callers.
    var callsAnswered: Int
    var unauthorizedReachingCallers: Int
    var unwantedSignOuts: Int
    var theftsUnnoticed: Int

    var holds: Bool {
        acts.allSatisfy(\.held) && unauthorizedReachingCallers == 0 && unwantedSignOuts == 0 && theftsUnnoticed == 0
            && answersDropped > 0 && callsAnswered > 0
    }

    private enum CodingKeys: String, CodingKey {
        case acts, requests, refreshes
        case answersDropped = "answers_dropped"
        case callsAnswered = "calls_answered"
        case unauthorizedReachingCallers = "unauthorized_reaching_callers"
        case unwantedSignOuts = "unwanted_sign_outs"
        case theftsUnnoticed = "thefts_unnoticed"
    }

    /// The summary as a table.
    var table: [String] {
        let rows: [(String, Int, String, Bool)] = [
            ("requests answered by the server", requests, "server", true),
            ("refreshes served", refreshes, "server", true),
            ("refresh responses dropped after the commit", answersDropped, "network", answersDropped > 0),
            ("calls answered", callsAnswered, "callers", callsAnswered > 0),
            ("401s that reached a caller", unauthorizedReachingCallers, "callers", unauthorizedReachingCallers == 0),
            ("unwanted sign-outs", unwantedSignOuts, "server, callers", unwantedSignOuts == 0),
            ("thefts unnoticed", theftsUnnoticed, "server, owner", theftsUnnoticed == 0),
        ]
        let table = TextTable(
            ["", "count", "counted by", ""],
            rows.map { [$0.0, "\($0.1)", $0.2, $0.3 ? "ok" : "BROKEN"] },
            right: [1],
            hasRule: true
        )
        return [""] + table.lines(TextStyle.output) + ["", holds ? "Every promise held." : "A promise was broken."]
    }
}
