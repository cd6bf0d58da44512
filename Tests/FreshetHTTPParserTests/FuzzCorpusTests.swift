// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

/// The inputs of the fuzzer in `Fuzz/`, which `Scripts/fuzz` extends.
@Suite struct `The fuzzer's inputs` {
    private static func inputs(_ folder: String) throws -> [(name: String, bytes: [UInt8])] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let folder = root.appending(path: "Fuzz/HTTPParser/\(folder)")
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .map { (name: $0.lastPathComponent, bytes: Array(try Data(contentsOf: $0))) }
    }

    @Test(arguments: ["seeds", "corpus"])
    func `the fuzzer's inputs are read by the fast path as by NIO's decoder`(_ folder: String) throws {
        var accepted = 0
        for (name, bytes) in try Self.inputs(folder) {
            #expect(throws: Never.self, "\(name)") { accepted += try DecoderComparison().compare(bytes) }
        }
        #expect(accepted > 0)
    }

    @Test func `the fuzzer's seeds are read alike wherever they are cut in two`() throws {
        var accepted = 0
        for (name, bytes) in try Self.inputs("seeds") {
            for cut in bytes.indices.dropFirst() {
                let pieces = [Array(bytes[..<cut]), Array(bytes[cut...])]
                #expect(throws: Never.self, "\(name), cut at \(cut)") {
                    accepted += try DecoderComparison().compare(pieces)
                }
            }
        }
        #expect(accepted > 0)
    }
}
