// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetSystem

/// A process that shares a store with this one; it ends when its standard input is closed, or is killed.
final class StressProcess: Sendable {
    /// The program that this very build made.
    private static let program = URL(filePath: CommandLine.arguments[0])
        .deletingLastPathComponent().appending(path: "StressWorker")

    private let program: Subprocess
    private let input: FileHandle
    private let ended: AsyncStream<Subprocess.Ending>

    init(_ arguments: [String], output: FileHandle) throws {
        let (ended, end) = AsyncStream.makeStream(of: Subprocess.Ending.self)
        self.ended = ended
        let (reading, writing) = try Subprocess.pipe()
        input = writing
        program = try Subprocess(
            [Self.program.path] + arguments,
            environment: ProcessInfo.processInfo.environment,
            input: reading,
            output: output,
            log: .standardError
        ) { ending in
            end.yield(ending)
            end.finish()
        }
        try? reading.close()
    }

    /// Sends SIGKILL, and waits for its end.
    func kill() async {
        program.signal(SIGKILL)
        _ = await ended.first { _ in true }
    }

    /// Ends its work, and waits for it.
    ///
    /// - Returns: Its exit code, as shells have it.
    func end() async -> Int32 {
        try? input.close()
        return await ended.first { _ in true }?.status ?? -1
    }
}
