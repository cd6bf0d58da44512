// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetSystem

/// This very program, run once more as a process of its own.
final class ChildProcess: Sendable {
    /// What it left behind.
    struct Ending: Sendable {
        var status: Int32
        var output: String
        /// When the system said so, however busy this process was.
        var time: ContinuousClock.Instant
    }

    private let program: Subprocess
    /// Held open as long as this process lives, if the child is to notice its end.
    private let input: FileHandle?
    private let ending: Task<Ending, Never>
    /// The lines of its standard output as they come.
    let lines: AsyncStream<String>

    /// The process id.
    var id: Int32 { program.id }

    /// Starts `freshet` with `arguments`.
    ///
    /// - Parameters:
    ///   - arguments: The subcommand and its options.
    ///   - program: Another build of this program than the one that runs.
    ///   - environment: Added to this process's own.
    ///   - input: What it reads on its standard input.
    ///   - keepsInputOpen: Its standard input ends when this process does.
    ///   - log: Gets its standard error; nowhere if left out.
    /// - Throws: Whatever the system says if the process cannot be started.
    init(
        _ arguments: [String],
        program: URL? = nil,
        environment: [String: String] = [:],
        input: String? = nil,
        keepsInputOpen: Bool = false,
        log: FileHandle? = nil
    ) throws {
        let path = program?.path ?? Bundle.main.executablePath ?? CommandLine.arguments[0]
        let stdin = input == nil && !keepsInputOpen ? nil : try Subprocess.pipe()
        let stdout = try Subprocess.pipe()
        let (ended, end) = AsyncStream.makeStream(of: (status: Int32, time: ContinuousClock.Instant).self)
        self.program = try Subprocess(
            [path] + arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            input: stdin?.reading,
            output: stdout.writing,
            log: log
        ) {
            end.yield(($0.status, .now))
            end.finish()
        }
        try stdin?.reading.close()
        try stdout.writing.close()
        if let input {
            try stdin?.writing.write(contentsOf: Data(input.utf8))
            try stdin?.writing.close()
        }
        let (lines, arrived) = AsyncStream.makeStream(of: String.self)
        let (outputs, whole) = AsyncStream.makeStream(of: String.self)
        // A thread of its own: the read blocks, and the concurrency runtime has as many threads as there are cores.
        Thread.detachNewThread {
            var all = Data()
            var rest = Data()
            while case let data = stdout.reading.availableData, !data.isEmpty {
                all += data
                rest += data
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    arrived.yield(String(decoding: rest[..<end], as: UTF8.self))
                    rest = Data(rest[(end + 1)...])
                }
            }
            arrived.finish()
            whole.yield(String(decoding: all, as: UTF8.self))
            whole.finish()
        }
        ending = Task {
            let (status, time) = await ended.first { _ in true } ?? (-1, .now)
            return Ending(status: status, output: await outputs.first { _ in true } ?? "", time: time)
        }
        self.input = stdin?.writing
        self.lines = lines
    }

    /// Ends its standard input, which was held open.
    func closeInput() { try? input?.close() }

    /// Waits for its end.
    func wait() async -> Ending { await ending.value }

    /// Sends it a signal that does not end it.
    func signal(_ number: Int32) { program.signal(number) }

    /// Ends it without a chance to tidy up.
    func kill() async {
        program.signal(SIGKILL)
        _ = await ending.value
    }

    /// Asks it to end.
    func terminate() async {
        program.signal(SIGTERM)
        _ = await ending.value
    }
}
