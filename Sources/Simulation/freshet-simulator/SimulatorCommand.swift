// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser

#if os(Linux)
    import Foundation
    import FreshetSimulator

    /// The `freshet-simulator` program, which runs the real client through random histories.
    @main
    struct SimulatorCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "freshet-simulator",
            abstract: "Runs the SDK's real sessions through random histories on virtual time.",
            discussion: """
                Each seed decides the order of all tasks, the faults of the network, and what the app does. A history \
                that violates an invariant is printed with its seed, which gives the same history again.

                Examples:
                  freshet-simulator --histories 10000
                  freshet-simulator --seed 4711          # prints the events of one history
                """
        )

        @Option(help: "Run the history of this seed, and print its events.")
        var seed: UInt64?

        @Option(help: "The number of histories.")
        var histories = 1000

        @Option(help: "Run histories for this time instead, in seconds.")
        var seconds: Int?

        @Option(help: "The seed of the first history; random by default.")
        var firstSeed: UInt64?

        static func main() {
            // Before any other use of concurrency.
            SimulationExecutor.install()
            main(nil)
        }

        func validate() throws {
            guard histories > 0 else { throw ValidationError("--histories must be greater than zero") }
            guard seconds ?? 1 > 0 else { throw ValidationError("--seconds must be greater than zero") }
        }

        func run() throws {
            try History.prepare()
            defer { History.cleanUp() }
            if let seed {
                let report = try History.run(HistoryPlan(seed: seed)) { print($0) }
                print("fingerprint \(String(report.fingerprint, radix: 16)), \(report.steps) steps")
                if !report.violations.isEmpty { throw ExitCode.failure }
                return
            }
            let first = firstSeed ?? .random(in: 0...(.max >> 1))
            print("from seed \(first)")
            var summary = HistorySummary()
            // Between histories the clock is the system's.
            let end = seconds.map { ContinuousClock.now + .seconds($0) }
            for seed in first... {
                if let end { if ContinuousClock.now >= end { break } } else if summary.histories == histories { break }
                let report = try History.run(HistoryPlan(seed: seed))
                summary.add(report)
                for violation in report.violations { print("seed \(seed): \(violation)") }
            }
            print(summary.text)
            if summary.violated > 0 { throw ExitCode.failure }
        }
    }
#else
    @main
    struct SimulatorCommand: ParsableCommand {
        func run() throws { throw ValidationError("the simulator runs on Linux only") }
    }
#endif
