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
                that violates an invariant is printed with its seed, which gives the same history again in the same \
                build; debug and release builds order their tasks differently.

                The first violating history is shortened, and its plan and events are printed.

                Examples:
                  freshet-simulator --histories 10000
                  freshet-simulator --seed 4711          # prints the events of one history
                  freshet-simulator --seed 4711 --shrink # prints those of a shorter one with the same violation
                  freshet-simulator --part 'two servers' contract # histories that have both
                  freshet-simulator --plan Plans/*.json --histories 20 # runs each plan with 20 orders of its tasks
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

        @Option(
            parsing: .upToNextOption,
            help: "Run the plans in these files, each with all seeds, instead of a seed's own plan."
        )
        var plan: [String] = []

        @Option(
            parsing: .upToNextOption,
            help:
                "Run only the histories with all of these parts, such as 'two servers', 'contract' or 'OAuth library'."
        )
        var part: [String] = []

        @Option(help: "With --seed: write the plan to this file, with --shrink the shorter one.")
        var savePlan: String?

        @Option(help: "Write what the servers commit to this file, for Models/trace.py.")
        var trace: String?

        @Option(
            help:
                "Write a line for each history to this file: seed, steps, microseconds of CPU time, bytes kept, parts."
        )
        var costs: String?

        @Flag(help: "End at the first history that violates an invariant.")
        var untilViolation = false

        @Flag(help: "With --seed: shorten the history as long as it violates the same invariant.")
        var shrink = false

        static func main() {
            restartWithDeterministicHashing()
            // Before any other use of concurrency.
            SimulationExecutor.install()
            main(nil)
        }

        /// Restarts the program, unless dictionaries have the same order in every process.
        private static func restartWithDeterministicHashing() {
            let name = "SWIFT_DETERMINISTIC_HASHING"
            guard getenv(name) == nil else { return }
            setenv(name, "1", 1)
            execv("/proc/self/exe", CommandLine.unsafeArgv)
        }

        /// The build, which decides the order of tasks: an optimised one leaves out steps.
        private static let build: String = {
            #if DEBUG
                "the debug build"
            #else
                "the release build"
            #endif
        }()

        func validate() throws {
            guard histories > 0 else { throw ValidationError("--histories must be greater than zero") }
            guard seconds ?? 1 > 0 else { throw ValidationError("--seconds must be greater than zero") }
            guard seed != nil || !shrink && savePlan == nil else {
                throw ValidationError("--shrink and --save-plan need --seed")
            }
            guard seed == nil || plan.count <= 1 else { throw ValidationError("--seed takes one plan") }
            guard part.isEmpty || seed == nil && plan.isEmpty else {
                throw ValidationError("--part chooses among random histories")
            }
            guard part.isEmpty || (0..<20_000).contains(where: { hasParts(HistoryPlan(seed: $0)) }) else {
                let known = Set((0..<1000).flatMap { HistoryPlan(seed: $0).parts }).sorted().joined(separator: ", ")
                throw ValidationError(
                    "no history has all of the parts \(part.joined(separator: ", ")); there are: \(known)"
                )
            }
        }

        func run() throws {
            try History.prepare()
            defer { History.cleanUp() }
            let trace = try trace.map(Self.lines(to:))
            let costs = try costs.map(Self.lines(to:))
            let stored = try plan.map { path in
                let file = URL(filePath: path)
                guard let json = try? Data(contentsOf: file) else { throw ValidationError("\(path) cannot be read") }
                return (name: file.lastPathComponent + ", ", plan: try HistoryPlan(json: json))
            }
            if let seed {
                var plan = stored.first?.plan ?? HistoryPlan(seed: seed)
                plan.seed = seed
                if shrink { plan = try shortened(plan) }
                if let savePlan { try plan.json().write(to: URL(filePath: savePlan)) }
                let report = try History.run(plan, print: { print($0) }, trace: trace)
                print("fingerprint \(String(report.fingerprint, radix: 16)), \(report.steps) steps")
                if !report.violations.isEmpty { throw ExitCode.failure }
                return
            }
            let first = firstSeed ?? .random(in: 0...(.max >> 1))
            print("from seed \(first), \(Self.build)")
            // Also if the run is killed.
            fflush(nil)
            var summary = HistorySummary()
            var violating: HistoryPlan?
            // Between histories the clock is the system's.
            let end = seconds.map { ContinuousClock.now + .seconds($0) }
            var runs = 0
            for seed in first... {
                if let end { if ContinuousClock.now >= end { break } } else if runs >= histories { break }
                let drawn = HistoryPlan(seed: seed)
                guard !stored.isEmpty || hasParts(drawn) else { continue }
                runs += 1
                for (name, var plan) in stored.isEmpty ? [("", drawn)] : stored {
                    plan.seed = seed
                    let (start, kept) = (Self.processorTime, SimulationExecutor.shared.allocatedBytes)
                    let report = try History.run(plan, from: name, trace: trace)
                    let (time, bytes) = (Self.processorTime - start, SimulationExecutor.shared.allocatedBytes - kept)
                    costs?("\(seed)\t\(report.steps)\t\(time)\t\(bytes)\t\(plan.parts.joined(separator: ","))")
                    summary.add(report)
                    for violation in report.violations { print("\(name)seed \(seed): \(violation)") }
                    if !report.violations.isEmpty {
                        fflush(nil)
                        violating = violating ?? plan
                    }
                }
                if untilViolation, violating != nil { break }
            }
            print(summary.text)
            guard let violating else { return }
            if !untilViolation { _ = try History.run(try shortened(violating)) { print($0) } }
            // The end of a log is what is read first.
            print("violated: \(Self.build) --seed \(violating.seed)\(plan.isEmpty ? "" : " --plan FILE")")
            throw ExitCode.failure
        }

        /// Whether a history has all parts of `--part`.
        private func hasParts(_ plan: HistoryPlan) -> Bool {
            let parts = plan.parts
            return part.allSatisfy { name in parts.contains { $0.hasPrefix(name) } }
        }

        /// Creates a file.
        ///
        /// - Returns: A function that writes a line to it.
        private static func lines(to path: String) throws -> (String) -> Void {
            guard let file = fopen(path, "w") else { throw ValidationError("\(path) cannot be written") }
            return { line in fputs(line + "\n", file) }
        }

        /// The CPU time of this process, in microseconds.
        private static var processorTime: Int {
            var time = timespec()
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
            return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
        }

        /// Returns a shorter plan that violates the same invariant first, and prints it.
        private func shortened(_ plan: HistoryPlan) throws -> HistoryPlan {
            guard let kind = try History.run(plan).violations.first.map(Self.kind(of:)) else { return plan }
            let short = try plan.shrunk { try History.run($0).violations.first.map(Self.kind(of:)) == kind }
            print("--- a short history of seed \(plan.seed)\n\(short.text)\n---")
            return short
        }

        /// A violation without the numbers and IDs of its history.
        private static func kind(of violation: String) -> String {
            violation.split(separator: " ").filter { !$0.contains(where: \.isNumber) }.joined(separator: " ")
        }
    }
#else
    @main
    struct SimulatorCommand: ParsableCommand {
        func run() throws { throw ValidationError("the simulator runs on Linux only") }
    }
#endif
