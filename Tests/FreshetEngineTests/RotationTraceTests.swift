// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import FreshetEngine

/// The rules of PROTOCOL.md were written twice: in Swift, and in Python for traces.
@Suite(.timeLimit(.minutes(3)))
struct `Rotation decisions beside a second implementation` {
    private static let histories: UInt64 = 150
    private static let steps = 150
    private static let checker = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../Models/trace.py"
    )

    @Test(arguments: [RotationState.Mode.intent, .plain, .static])
    func `random histories of every mode agree with the rules of the trace checker`(mode: RotationState.Mode) throws {
        var lines: [String] = []
        for seed in 0..<Self.histories {
            var trace = RotationTrace(mode, seed: seed)
            try trace.run(steps: Self.steps)
            lines += trace.lines
        }
        let (status, output) = try check(lines)
        #expect(status == 0, "\(output)")
    }

    @Test func `the trace checker rejects a wrong outcome of the engine`() throws {
        var trace = RotationTrace(.intent, seed: 1)
        try trace.run(steps: Self.steps)
        let wrong = trace.lines.map { $0.replacing(#""answer":"superseded""#, with: #""answer":"final:reuse""#) }
        try #require(wrong != trace.lines)
        let (status, output) = try check(wrong)
        #expect(status == 1)
        #expect(output.contains("case 2"), "\(output)")
    }

    private func check(_ lines: [String]) throws -> (status: Int32, output: String) {
        let file = FileManager.default.temporaryDirectory.appending(path: "freshet-trace-\(UUID())")
        try Data(lines.joined(separator: "\n").utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", Self.checker.path, file.path]
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }
}
