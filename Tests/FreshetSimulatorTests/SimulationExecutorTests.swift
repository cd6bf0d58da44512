// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FreshetSystem
    import Testing

    /// The executor runs in a process of its own (`SimulatorWorker`).
    @Suite(.timeLimit(.minutes(5)))
    struct `The simulator's executor` {
        @Test func `one seed gives one history, byte for byte, and another seed gives another`() throws {
            let (lines, ending) = try run(["1", "2", "1", "2"])
            #expect(ending == .exited(0))
            try #require(lines.count == 4)
            #expect(lines[0] == lines[2] && lines[1] == lines[3] && lines[0] != lines[1])
        }

        @Test func `different seeds give many different orders of tasks`() throws {
            let (lines, _) = try run((1...50).map(String.init))
            let orders = lines.map { line in line.split(separator: ", ").filter { $0.hasPrefix("began") } }
            #expect(Set(orders).count > 15)
        }

        @Test func `sleeping tasks wake in the order of their times, on virtual time`() throws {
            let (lines, _) = try run(["7"])
            let line = try #require(lines.first)
            let woken = line.split(separator: ", ").filter { $0.hasPrefix("woke") }
            #expect(woken == ["woke 3 on day 7", "woke 2 on day 8", "woke 1 on day 9", "woke 0 on day 10"])
            // Ten days after the simulator's first moment.
            #expect(line.hasSuffix(" \(1_800_000_000.0 + 10 * 86_400)"))
        }

        @Test func `tasks that are ready to run sometimes start with a delay`() throws {
            let (lines, _) = try run(["delays"])
            let times = try #require(lines.first).split(separator: ", ").compactMap { Int($0) }
            try #require(times.count == 1000)
            let delays = zip(times, times.dropFirst()).map { $1 - $0 }
            #expect(delays.allSatisfy { 0...66 ~= $0 })
            #expect(5...50 ~= delays.count { $0 > 0 })
        }

        @Test func `a sleeping device receives messages and expired timers when it wakes up`() throws {
            let (lines, _) = try run(["sleep"])
            let expected =
                "timer of 5 at 5, timer of 20 at 110, timer of 200 at 200; "
                + "message 1 at 110, message 2 at 110, message 3 at 110"
            #expect(lines == [expected])
        }

        @Test(arguments: ["thread", "foreign"])
        func `work outside the simulator's thread ends the process`(breach: String) throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "freshet-simulator-\(UUID())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let notes = folder.appending(path: "notes")
            try Data().write(to: notes)
            let (_, ending) = try run([breach], log: FileHandle(forWritingTo: notes))
            #expect(ending != .exited(0))
            #expect(try String(contentsOf: notes, encoding: .utf8).contains("the simulation is not deterministic"))
        }

        private func run(_ arguments: [String], log: FileHandle? = nil) throws
            -> (lines: [String], ending: Subprocess.Ending?)
        {
            let (output, ending) = try SimulatorProgram.run("SimulatorWorker", arguments, log: log)
            return (output.split(separator: "\n").map(String.init), ending)
        }
    }
#endif
