// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

/// Inputs of a target: a file with one input in base64 a line, or a folder with one file an input.
struct FuzzCorpus {
    var inputs: [[UInt8]]

    /// Reads a file; a file that does not exist has no inputs.
    init(file: URL) throws {
        guard FileManager.default.fileExists(atPath: file.path) else {
            inputs = []
            return
        }
        inputs = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
            guard let data = Data(base64Encoded: String(line)) else {
                throw FuzzFinding(description: "\(file.lastPathComponent) has a line that is not base64")
            }
            return Array(data)
        }
    }

    /// Reads a folder.
    init(folder: URL) throws {
        inputs = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
            .map { Array(try Data(contentsOf: $0)) }
    }

    /// Writes a file, in an order that depends on nothing but the inputs.
    func write(to file: URL) throws {
        let lines = inputs.map { Data($0).base64EncodedString() }.filter { !$0.isEmpty }.sorted()
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
    }
}
