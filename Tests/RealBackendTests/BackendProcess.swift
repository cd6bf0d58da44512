// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

#if canImport(Glibc)
    import Glibc
    private let sendSignal = Glibc.kill(_:_:)
#else
    import Darwin
    private let sendSignal = Darwin.kill(_:_:)
#endif

/// A program of `Tests/Backends`, which ends when its standard input does.
final class BackendProcess: Sendable {
    private let identifier: Int32
    private let input: Pipe
    private let ended: Task<Void, Never>
    private let first: Task<String?, Never>

    /// The package's folder.
    static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

    init(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = Self.root.appending(path: "Scripts/backends")
        process.arguments = ["start"] + arguments
        let input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        let (endings, end) = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in end.finish() }
        try process.run()
        identifier = process.processIdentifier
        self.input = input
        ended = Task { for await _ in endings {} }
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        // A thread of its own: the read blocks, and the concurrency runtime has as many threads as there are cores.
        Thread.detachNewThread {
            var text = Data()
            while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
                text += data
                if text.contains(UInt8(ascii: "\n")) { line.yield(String(decoding: text, as: UTF8.self)) }
            }
            line.finish()
        }
        first = Task { await lines.first { _ in true } }
    }

    /// The line that it prints when it is ready; `nil` if it exited before.
    var firstLine: String? {
        get async { await first.value }
    }

    /// Closes its input, and waits for its end.
    func end() async {
        try? input.fileHandleForWriting.close()
        // A process that was started at the same moment may hold the input open, too.
        _ = sendSignal(identifier, SIGTERM)
        await ended.value
    }

    /// Ends it without a chance to tidy up.
    func kill() async {
        _ = sendSignal(identifier, SIGKILL)
        await ended.value
    }
}
