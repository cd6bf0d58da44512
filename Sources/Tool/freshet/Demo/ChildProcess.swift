// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetSystem

/// A child process that runs this program.
final class ChildProcess: Sendable {
    /// The result of the process.
    struct Ending: Sendable {
        var status: Int32
        var output: String
        /// The time at which the system reported the exit, even if this process was busy.
        var time: ContinuousClock.Instant
    }

    private let program: Subprocess
    /// The child's standard input, held open until this process exits if the child has to detect the exit.
    private let input: FileHandle?
    private let ending: Task<Ending, Never>
    /// The lines of its standard output as they arrive.
    let lines: AsyncStream<String>

    /// The process ID.
    var id: Int32 { program.id }

    /// Starts `freshet` with `arguments`.
    ///
    /// - Parameters:
    ///   - arguments: The subcommand and its options.
    ///   - program: Another build of this program; by default the running one.
    ///   - environment: Variables that are added to the environment of this process.
    ///   - input: The text on its standard input.
    ///   - keepsInputOpen: Whether its standard input stays open until this process exits.
    ///   - log: Receives its standard error, which is discarded by default.
    /// - Throws: The system's error if the process cannot be started.
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
            // A child that exits before it reads breaks the pipe; its status tells why.
            if let stdin { try? Subprocess.write(Data(input.utf8), to: stdin.writing) }
            try stdin?.writing.close()
        }
        let (lines, arrived) = AsyncStream.makeStream(of: String.self)
        let (outputs, whole) = AsyncStream.makeStream(of: String.self)
        // Read on a separate thread: the read blocks, and the concurrency runtime has only one thread per core.
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

    /// Closes its standard input, which was held open.
    func closeInput() { try? input?.close() }

    /// Waits for its exit; kills it and its descendants if the task is cancelled.
    func wait() async -> Ending {
        await withTaskCancellationHandler {
            await ending.value
        } onCancel: {
            program.kill()
        }
    }

    /// Sends it a signal that does not terminate it.
    func signal(_ number: Int32) { program.signal(number) }

    /// Kills it without cleanup.
    func kill() async {
        program.signal(SIGKILL)
        _ = await ending.value
    }

    /// Asks it to terminate, and waits for its exit; kills it if the task is cancelled.
    func terminate() async {
        program.signal(SIGTERM)
        _ = await wait()
    }
}
