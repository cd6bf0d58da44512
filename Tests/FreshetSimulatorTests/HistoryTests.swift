// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FreshetSystem
    import Testing

    /// Histories run in a process of their own (`freshet-simulator`).
    @Suite(.timeLimit(.minutes(5)))
    struct `Histories of the simulator` {
        @Test func `sessions survive random histories of faults and kills`() throws {
            let (output, ending) = try SimulatorProgram.run("freshet-simulator", ["--histories", "100"])
            #expect(ending == .exited(0) && output.contains("histories 100, violated 0"), "\(output)")
            for fault in ["requestLost", "replyLost", "replyCut", "captivePortal", "unavailable", "repeated"] {
                #expect(!output.contains("\(fault): 0 times"), "\(output)")
            }
            #expect(output.contains("contract of ") && !output.contains("expired sessions: 0 in"), "\(output)")
            #expect(output.contains("connections: ") && !output.contains("connections: 0 with"), "\(output)")
        }

        @Test func `a seed gives the same history again`() throws {
            let runs = try (1...2).map { _ in try SimulatorProgram.run("freshet-simulator", ["--seed", "7"]) }
            #expect(runs[0].output == runs[1].output && runs[0].output.contains("device 0 process 0 sends /v1/login/"))
            let other = try SimulatorProgram.run("freshet-simulator", ["--seed", "8"])
            #expect(other.output != runs[0].output)
        }

        @Test func `a history does not depend on those before it`() throws {
            func fingerprint(_ arguments: [String]) throws -> UInt64 {
                let (output, _) = try SimulatorProgram.run("freshet-simulator", arguments)
                let text = try #require(output.firstMatch(of: /fingerprint (?:of all )?([0-9a-f]+)/)).1
                return try #require(UInt64(text, radix: 16))
            }
            let file = FileManager.default.temporaryDirectory.appending(path: "costs-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: file) }
            let together = try fingerprint(["--histories", "20", "--first-seed", "3000", "--costs", file.path])
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            let seeds = lines.compactMap { $0.split(separator: "\t").first.flatMap { UInt64($0) } }
            #expect(seeds.count == 20)
            let alone = try seeds.map { try fingerprint(["--seed", "\($0)"]) }
            #expect(together == alone.reduce(0, ^))
        }

        /// Seed 7 has a device with an OAuth library, seed 11 one with a foreign backend, and seed 20137 an older client.
        @Test(arguments: [7, 11, 20137])
        func `a stored plan gives the same history as its seed`(seed: Int) throws {
            let file = FileManager.default.temporaryDirectory.appending(path: "plan-\(UUID().uuidString).json")
            defer { try? FileManager.default.removeItem(at: file) }
            let save = ["--seed", "\(seed)", "--save-plan", file.path]
            let first = try SimulatorProgram.run("freshet-simulator", save)
            let again = try SimulatorProgram.run("freshet-simulator", ["--seed", "\(seed)", "--plan", file.path])
            #expect(first.output == again.output && first.output.contains("fingerprint"))
            #expect(first.output.contains("foreign process") == (seed == 11))
            #expect(first.output.contains("updated to the present client") == (seed == 20137))
            #expect(first.output.contains("OAuth device") == (seed == 7))
            let other = try SimulatorProgram.run("freshet-simulator", ["--seed", "8", "--plan", file.path])
            #expect(other.output != first.output && other.output.contains("fingerprint"))
            let all = ["--plan", file.path, file.path, "--histories", "3"]
            let (output, ending) = try SimulatorProgram.run("freshet-simulator", all)
            #expect(ending == .exited(0) && output.contains("histories 6, violated 0"), "\(output)")
        }

        @Test func `a plan whose foreign device lacks a process is refused`() throws {
            let ending = try Self.runPlan { plan in
                var foreign = try #require(plan["foreign"] as? [String: Any])
                foreign["processes"] = 0
                plan["foreign"] = foreign
            }
            #expect(ending != .exited(0))
        }

        @Test func `a plan with a lifetime that is not positive is refused`() throws {
            let endings = try [0, 300].map { idle in
                try Self.runPlan { $0["lifetimes"] = ["idle": idle, "absolute": 900, "retention": 60] }
            }
            #expect(endings.map { $0 == .exited(0) } == [false, true])
        }

        /// Changes the plan of seed 11, and runs it.
        private static func runPlan(_ change: (inout [String: Any]) throws -> Void) throws -> Subprocess.Ending? {
            let file = FileManager.default.temporaryDirectory.appending(path: "plan-\(UUID().uuidString).json")
            defer { try? FileManager.default.removeItem(at: file) }
            _ = try SimulatorProgram.run("freshet-simulator", ["--seed", "11", "--save-plan", file.path])
            var plan = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
            try change(&plan)
            try JSONSerialization.data(withJSONObject: plan).write(to: file)
            return try SimulatorProgram.run("freshet-simulator", ["--plan", file.path, "--histories", "1"]).ending
        }

        @Test(arguments: ["{}", #"{"seed":1}"#])
        func `a malformed plan is refused`(text: String) throws {
            let file = FileManager.default.temporaryDirectory.appending(path: "plan-\(UUID().uuidString).json")
            defer { try? FileManager.default.removeItem(at: file) }
            try Data(text.utf8).write(to: file)
            let (_, ending) = try SimulatorProgram.run("freshet-simulator", ["--plan", file.path])
            #expect(ending != .exited(0))
        }

        @Test(arguments: [
            ["--histories", "0"], ["--shrink"], ["--save-plan", "plan.json"],
            ["--seed", "1", "--plan", "a.json", "b.json"],
        ])
        func `a wrong option is refused`(arguments: [String]) throws {
            let (_, ending) = try SimulatorProgram.run("freshet-simulator", arguments)
            #expect(ending == .exited(64))
        }
    }

    /// The programs of the simulator, which lie beside the tests.
    enum SimulatorProgram {
        static func run(_ name: String, _ arguments: [String], log: FileHandle? = nil) throws
            -> (output: String, ending: Subprocess.Ending?)
        {
            let program = Bundle.main.bundleURL.appending(path: name).path
            let (reading, writing) = try Subprocess.pipe()
            // A backtrace takes seconds, and no test reads it.
            let child = try Subprocess(
                [program] + arguments,
                environment: ["SWIFT_BACKTRACE": "enable=no"],
                output: writing,
                log: log
            )
            try writing.close()
            let output = String(decoding: try reading.readToEnd() ?? Data(), as: UTF8.self)
            return (output, child.wait(until: .now + .seconds(120)))
        }
    }
#endif
