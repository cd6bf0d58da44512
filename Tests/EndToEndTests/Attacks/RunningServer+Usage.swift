// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import freshet

#if canImport(Glibc)
    import Glibc
#endif

extension RunningServer {
    /// The memory that it has of the machine now, in bytes.
    var residentMemory: Int {
        get throws {
            let text = try String(contentsOfFile: "/proc/\(process.id)/status", encoding: .utf8)
            let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
            return try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) }) * 1024
        }
    }

    /// The number of files that it has open now.
    var openFiles: Int {
        get throws { try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.id)/fd").count }
    }

    /// The processor time that it has used, in seconds.
    var processorTime: Double {
        get throws {
            let text = try String(contentsOfFile: "/proc/\(process.id)/stat", encoding: .utf8)
            let fields = try #require(text.split(separator: ")").last).split(separator: " ")
            let ticks = try #require(Int(fields[11])) + #require(Int(fields[12]))
            return Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK)))
        }
    }

    /// Waits until a line of its log contains `text`.
    ///
    /// - Parameters:
    ///   - text: A text that the line contains.
    ///   - times: The number of such lines to wait for.
    /// - Returns: The last of them.
    /// - Throws: An error if the log ends before.
    @discardableResult
    func logged(_ text: String, times: Int = 1) async throws -> String {
        let tail = try ChildProcess(["-n", "+1", "-F", log.path], program: URL(filePath: "/usr/bin/tail"))
        var line: String?
        var seen = 0
        for await next in tail.lines where next.contains(text) {
            (line, seen) = (next, seen + 1)
            if seen == times { break }
        }
        await tail.kill()
        return try #require(seen == times ? line : nil, "the log ended without: \(text)")
    }
}
