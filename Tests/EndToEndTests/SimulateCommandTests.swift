// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import Testing

@testable import freshet

@Suite(.timeLimit(.minutes(5)), .serialized)
struct `freshet simulate` {
    @Test func `says what is wrong with its options, and ends with 64`() throws {
        let mistakes: [([String], String)] = [
            (["--devices", "0"], "--devices is from 1"), (["--hours", "2"], "--hours is from 8"),
            (["--capacity", "0"], "--capacity is from"), (["--jitter", "0.9"], "--jitter is a share"),
            (["--access-ttl", "5s"], "--access-ttl is from 1m"), (["--length", "12h"], "--length is less than"),
            (["--scenario", "day", "--length", "1h"], "which has no end"), (["--policy", "hope"], "no policy 'hope'"),
            (["--retry-after", "2h"], "--retry-after is from 1s"),
        ]
        for (arguments, sentence) in mistakes {
            do {
                _ = try SimulateCommand.parse(arguments)
                Issue.record("\(arguments) were taken")
            } catch {
                #expect(SimulateCommand.fullMessage(for: error).contains(sentence))
                #expect(SimulateCommand.exitCode(for: error).rawValue == 64)
            }
        }
    }

    @Test func `writes the same JSON and the same chart each time`() async throws {
        try await World.live { world in
            var seen: Set<String> = []
            for number in 1...2 {
                let chart = try world.file("chart-\(number).svg", "")
                let run = try await world.tool(
                    ["simulate", "--devices", "200", "--hours", "8", "--scenario", "push", "--svg", chart, "--json"]
                )
                #expect(run.status == 0)
                #expect((run.object?["policies"] as? [Any])?.count == 5)
                seen.insert(run.output + (try String(contentsOfFile: chart, encoding: .utf8)))
            }
            #expect(seen.count == 1)
            let nowhere = world.folder.appending(path: "none/chart.svg").path
            let refused = try await world.tool(["simulate", "--devices", "1", "--svg", nowhere])
            #expect(refused.status == 64 && refused.notes.contains("cannot be written"))
        }
    }
}
