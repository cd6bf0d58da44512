// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

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
        func row(_ title: String, _ count: String, _ counter: String, _ mark: String) -> String {
            let left = title + String(repeating: " ", count: max(0, 42 - title.count))
            return "\(left)\(String(repeating: " ", count: max(0, 7 - count.count)))\(count)   "
                + counter + String(repeating: " ", count: max(0, 16 - counter.count)) + mark
        }
        let rule = String(repeating: "─", count: 70)
        return ["", row("", "count", "counted by", ""), rule]
            + rows.map { row($0.0, "\($0.1)", $0.2, $0.3 ? "ok" : "BROKEN") }
            + [rule, holds ? "Every promise held." : "A promise was broken."]
    }
}
