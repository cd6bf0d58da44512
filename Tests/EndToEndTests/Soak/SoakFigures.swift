// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

/// The figures of one interval of a soak: a line of its file.
struct SoakFigures: Equatable {
    /// The names of the processes whose memory and descriptors are measured.
    static let processes = ["server 1", "server 2", "client"]

    /// Which start of the soak it belongs to, from 1: processes of different starts are not compared.
    var part: Int
    /// Resident memory of each process, in KiB.
    var memory: [Int]
    /// Open descriptors of each process.
    var descriptors: [Int]
    /// Calls of this part that were answered, and those that failed and may be repeated.
    var answered: Int
    var failed: Int
    /// Responses to refreshes of this part that the relay dropped.
    var dropped: Int
    /// Sessions that are not signed in.
    var signedOut: Int
}

extension SoakFigures {
    private static let columns = 11

    /// Reads a line of the file; `nil` for an incomplete one, as a killed process leaves it.
    init?(line: some StringProtocol) {
        let fields = line.split(separator: "\t").compactMap { Int($0) }
        guard fields.count == Self.columns else { return nil }
        self.init(
            part: fields[0],
            memory: Array(fields[1...3]),
            descriptors: Array(fields[4...6]),
            answered: fields[7],
            failed: fields[8],
            dropped: fields[9],
            signedOut: fields[10]
        )
    }

    var line: String {
        ([part] + memory + descriptors + [answered, failed, dropped, signedOut]).map(String.init)
            .joined(separator: "\t")
    }

    /// The anonymous memory in KiB and the descriptors of the process with this ID.
    ///
    /// Pages of the program's file come and go with the machine's page cache.
    static func measure(_ process: Int32) throws -> (memory: Int, descriptors: Int) {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") } ?? ""
        let memory = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
        return (memory, try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count)
    }
}
