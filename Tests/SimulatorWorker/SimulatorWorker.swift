// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FreshetSimulator

    /// Runs tasks by the simulator's executor, for its tests: executors can be replaced only in a new process.
    ///
    /// Each argument is a seed, whose history it prints in one line; `thread` and `foreign` break the rules, `delays` prints the
    /// times at which tasks that wait for nothing start, `flush` is the history of a disk, and `sleep` that of a device.
    @main enum SimulatorWorker {
        private actor Log {
            private(set) var entries: [String] = []

            func add(_ entry: String) { entries.append(entry) }
        }

        static func main() {
            SimulationExecutor.install()
            for argument in CommandLine.arguments.dropFirst() {
                switch argument {
                case "thread": run(seed: 1) { Thread.detachNewThread {} }
                case "delays":
                    nonisolated(unsafe) var times: [Duration] = []
                    run(seed: 1, tasksPerDelay: 50) {
                        for _ in 0..<1000 {
                            times.append(SimulationExecutor.shared.now)
                            await Task.yield()
                        }
                    }
                    print(times.map { "\(Int($0 / .milliseconds(1)))" }.joined(separator: ", "))
                case "flush":
                    nonisolated(unsafe) var line = ""
                    run(seed: 1) { line = await FailedFlush.history() }
                    print(line)
                case "sleep":
                    nonisolated(unsafe) var line = ""
                    run(seed: 1) { line = await SleepingDevice.history() }
                    print(line)
                case "foreign":
                    run(seed: 1) {
                        await withCheckedContinuation { continuation in
                            DispatchQueue.global().async { continuation.resume() }
                        }
                    }
                default:
                    let log = Log()
                    nonisolated(unsafe) var line = ""
                    run(seed: UInt64(argument) ?? 0) { line = await history(log) }
                    print(line)
                }
            }
        }

        private static func run(seed: UInt64, tasksPerDelay: Int = 0, _ body: @escaping @Sendable () async -> Void) {
            let executor = SimulationExecutor.shared
            executor.start(seed: seed, tasksPerDelay: tasksPerDelay)
            Task { await body() }
            executor.run(until: .seconds(100 * 86_400))
            executor.end()
        }

        /// Uses the means of concurrency that the simulated code uses.
        private static func history(_ log: Log) async -> String {
            let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
            async let listening: Void = {
                for await value in stream { await log.add("heard \(value)") }
            }()
            await withTaskGroup { group in
                for number in 0..<4 {
                    group.addTask {
                        await Task.yield()
                        await log.add("began \(number)")
                        continuation.yield(number)
                        try? await Task.sleep(for: .seconds(86_400 * (10 - number)))
                        await log.add("woke \(number) on day \(days())")
                        let cancelled = Task { try? await Task.sleep(for: .seconds(50 * 86_400)) }
                        cancelled.cancel()
                        await cancelled.value
                        await MainActor.run {}
                    }
                }
            }
            continuation.finish()
            await listening
            await log.add("\(UInt64.random(in: .min ... .max)) \(Date().timeIntervalSince1970)")
            return await log.entries.joined(separator: ", ")
        }

        private static func days() -> Int64 { SimulationExecutor.shared.now.components.seconds / 86_400 }
    }
#else
    @main enum SimulatorWorker {
        static func main() {}
    }
#endif
