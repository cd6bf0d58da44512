// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

/// A store in a process of its own; it is killed when nobody holds on to it.
///
/// One test at a time asks it.
final class Worker {
    /// The program that this very build made.
    static let program = URL(filePath: CommandLine.arguments[0])
        .deletingLastPathComponent().appending(path: "StoreWorker")

    let process: Process
    private let input: FileHandle
    private let lines: AsyncStream<String>

    /// Starts a worker with this command line, or another program if that begins with its path.
    init(_ arguments: [String], environment: [String: String]? = nil) throws {
        process = try Self.process(arguments, environment: environment)
        let (input, output) = (try CloseOnExecPipe(), try CloseOnExecPipe())
        self.input = input.writing
        process.standardInput = input.reading
        process.standardOutput = output.writing
        let (lines, arrived) = AsyncStream.makeStream(of: String.self)
        self.lines = lines
        try process.run()
        try input.reading.close()
        try output.writing.close()
        // Reading blocks, and the concurrency runtime has as many threads as there are cores.
        Thread.detachNewThread {
            var rest = Data()
            while case let data = output.reading.availableData, !data.isEmpty {
                rest += data
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    arrived.yield(String(decoding: rest[..<end], as: UTF8.self))
                    rest = Data(rest[(end + 1)...])
                }
            }
            arrived.finish()
        }
    }

    deinit {
        // A worker under a tracer outlives the tracer, and ends with its input.
        try? input.close()
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// A worker that was not started yet.
    static func process(_ arguments: [String], environment: [String: String]? = nil) throws -> Process {
        let process = Process()
        if arguments.first?.hasPrefix("/") == true {
            process.executableURL = URL(filePath: arguments[0])
            process.arguments = Array(arguments.dropFirst())
        } else {
            process.executableURL = program
            process.arguments = arguments
        }
        if let environment { process.environment = environment }
        return process
    }

    /// A worker that does one thing until it is killed.
    static func process(
        _ arguments: [String],
        told command: String,
        environment: [String: String]? = nil
    ) throws -> Process {
        let process = try process(arguments, environment: environment)
        let input = try CloseOnExecPipe()
        process.standardInput = input.reading
        try input.writing.write(contentsOf: Data((command + "\n").utf8))
        try input.writing.close()
        return process
    }

    /// Writes a command, whose answer is the next line.
    func write(_ command: String) throws { try input.write(contentsOf: Data((command + "\n").utf8)) }

    /// Tells it to do something, and returns its answer; empty if it ended.
    func send(_ command: String) async throws -> String {
        try write(command)
        return await nextLine() ?? ""
    }

    /// The next line that it prints; `nil` if it ended.
    func nextLine() async -> String? { await lines.first { _ in true } }

    /// The answers to several commands.
    func send(_ commands: [String]) async throws -> [String] {
        var answers: [String] = []
        for command in commands { answers.append(try await send(command)) }
        return answers
    }
}
