// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetSystem
import Testing

@testable import freshet_simulate

@Suite(.timeLimit(.minutes(5)), .serialized)
struct `freshet-simulate` {
    @Test func `freshet-simulate reports an invalid option and exits with 64`() throws {
        let mistakes: [([String], String)] = [
            (["--devices", "0"], "--devices must be between 1"), (["--hours", "2"], "--hours must be between 8"),
            (["--capacity", "0"], "--capacity must be between"), (["--jitter", "0.9"], "--jitter must be between"),
            (["--access-ttl", "5s"], "--access-ttl must be between 1m"),
            (["--length", "12h"], "--length must be less than"),
            (["--scenario", "day", "--length", "1h"], "which lasts until the end"),
            (["--policy", "hope"], "no policy 'hope'"),
            (["--retry-after", "2h"], "--retry-after must be between 1s"),
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

    @Test func `freshet-simulate writes the same JSON and chart each time, and reports write errors`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "freshet-simulate-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var seen: Set<String> = []
        for number in 1...2 {
            let chart = folder.appending(path: "chart-\(number).svg").path
            let run = try run(
                ["--devices", "200", "--hours", "8", "--scenario", "push", "--svg", chart, "--json"],
                notesIn: folder
            )
            #expect(run.ending == .exited(0))
            let report = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
            #expect((report?["policies"] as? [Any])?.count == 5)
            seen.insert(run.output + (try String(contentsOfFile: chart, encoding: .utf8)))
        }
        #expect(seen.count == 1)
        let full = try run(
            ["--devices", "1", "--hours", "8"],
            notesIn: folder,
            through: ["/bin/sh", "-c", #"exec "$@" >/dev/full"#, "sh"]
        )
        #expect(
            full.ending == .exited(74) && full.notes == "freshet-simulate: standard output: No space left on device\n"
        )
        let nowhere = folder.appending(path: "none/chart.svg").path
        let refused = try run(["--devices", "1", "--svg", nowhere], notesIn: folder)
        #expect(refused.ending == .exited(64) && refused.notes.contains("cannot be written"))
    }

    /// Runs the program, which is built beside the tests.
    private func run(_ arguments: [String], notesIn folder: URL, through wrapper: [String] = []) throws
        -> (output: String, notes: String, ending: Subprocess.Ending?)
    {
        let program = Bundle.main.bundleURL.appending(path: "freshet-simulate").path
        let notes = folder.appending(path: "notes")
        try Data().write(to: notes)
        let log = try FileHandle(forWritingTo: notes)
        let (reading, writing) = try Subprocess.pipe()
        let child = try Subprocess(
            wrapper + [program] + arguments,
            environment: ProcessInfo.processInfo.environment,
            output: writing,
            log: log
        )
        try writing.close()
        let output = String(decoding: try reading.readToEnd() ?? Data(), as: UTF8.self)
        let ending = child.wait(until: .now + .seconds(240))
        return (output, try String(contentsOf: notes, encoding: .utf8), ending)
    }
}
