// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit

/// A process that shares a store with this one; it ends when its standard input is closed.
final class StressProcess: Sendable {
    /// The program that this very build made.
    private static let program = URL(filePath: CommandLine.arguments[0])
        .deletingLastPathComponent().appending(path: "StressWorker")

    private let process: Locked<Process>
    private let input = Pipe()
    private let ended: AsyncStream<Int32>

    init(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = Self.program
        process.arguments = arguments
        process.standardInput = input
        let (ended, end) = AsyncStream.makeStream(of: Int32.self)
        self.ended = ended
        process.terminationHandler = { process in
            end.yield(process.terminationStatus)
            end.finish()
        }
        try process.run()
        self.process = Locked(process)
    }

    /// Ends its work, and waits for it.
    ///
    /// - Returns: Its exit code.
    func end() async -> Int32 {
        try? input.fileHandleForWriting.close()
        return await ended.first { _ in true } ?? -1
    }
}
