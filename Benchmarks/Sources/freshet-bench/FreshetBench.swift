// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Glibc

/// Measures a server that runs, and the SDK in this process.
@main
struct FreshetBench {
    /// Not asynchronous itself: the main thread of such a program ends before the program, and tools that count instructions
    /// do not take that.
    static func main() {
        let end = DispatchSemaphore(value: 0)
        Task.detached {
            await run(Array(CommandLine.arguments.dropFirst()))
            end.signal()
        }
        end.wait()
    }

    private static func run(_ arguments: [String]) async {
        do {
            guard arguments != ["responder"] else { return try Responder.run() }
            if arguments.first == "calls" { return try await CountedCalls(arguments.dropFirst()).run() }
            if arguments.first == "lives" { return try await SessionLives(arguments.dropFirst()).run() }
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
