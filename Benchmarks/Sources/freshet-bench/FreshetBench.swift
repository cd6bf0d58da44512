// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Glibc

/// Measures a server that runs, and the SDK in this process.
@main
struct FreshetBench {
    static func main() async {
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            guard arguments != ["responder"] else { return try Responder.run() }
            let options = try Options(arguments)
            let swift = ProcessInfo.processInfo.environment["BENCH_SWIFT_VERSION"] ?? "Swift of unknown version"
            var report = Report(
                machine: .this(swift: swift),
                secondsPerRun: options.seconds,
                rounds: options.rounds
            )
            if let server = options.server {
                report.server =
                    try ServerBenchmark(options: server, seconds: options.seconds, rounds: options.rounds).run()
            }
            if options.measuresSDK { report.sdk = try await SDKBenchmark(rounds: options.rounds).run() }
            print(report.text)
            if let file = options.json {
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
                try encoder.encode(report).write(to: file)
            }
            guard report.isSound else { throw BenchmarkError("some requests had other answers than they should have") }
        } catch {
            Progress.show("\(error)")
            exit(1)
        }
    }
}
