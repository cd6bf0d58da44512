// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
    private let sendSignal = Glibc.kill(_:_:)
#else
    import Darwin
    private let sendSignal = Darwin.kill(_:_:)
#endif

/// This very program, run once more as a process of its own.
final class ChildProcess: Sendable {
    /// What it left behind.
    struct Ending: Sendable {
        var status: Int32
        var output: String
    }

    private let process: Process
    /// Held open as long as this process lives, if the child is to notice its end.
    private let input: Pipe
    private let ending: Task<Ending, Never>
    /// The lines of its standard output as they come.
    let lines: AsyncStream<String>

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
        let process = Process()
        process.executableURL = program ?? Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let stdin = Pipe()
        process.standardInput = input == nil && !keepsInputOpen ? FileHandle.nullDevice : stdin
        process.standardError = log ?? FileHandle.nullDevice
        let pipe = Pipe()
        process.standardOutput = pipe
        let (ended, end) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = {
            end.yield($0.terminationStatus)
            end.finish()
        }
        try process.run()
        if let input {
            try stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
            try stdin.fileHandleForWriting.close()
        }
        let (lines, arrived) = AsyncStream.makeStream(of: String.self)
        let (outputs, whole) = AsyncStream.makeStream(of: String.self)
        // A thread of its own: the read blocks, and the concurrency runtime has as many threads as there are cores.
        Thread.detachNewThread {
            var all = Data()
            var rest = Data()
            while case let data = pipe.fileHandleForReading.availableData, !data.isEmpty {
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
            let status = await ended.first { _ in true } ?? -1
            return Ending(status: status, output: await outputs.first { _ in true } ?? "")
        }
        self.process = process
        self.input = stdin
        self.lines = lines
    }

    /// Ends its standard input, which was held open.
    func closeInput() { try? input.fileHandleForWriting.close() }

    /// Waits for its end.
    func wait() async -> Ending { await ending.value }

    /// Sends it a signal that does not end it.
    func signal(_ number: Int32) { _ = sendSignal(process.processIdentifier, number) }

    /// Ends it without a chance to tidy up.
    func kill() async {
        _ = sendSignal(process.processIdentifier, SIGKILL)
        _ = await ending.value
    }

    /// Asks it to end.
    func terminate() async {
        process.terminate()
        _ = await ending.value
    }
}
