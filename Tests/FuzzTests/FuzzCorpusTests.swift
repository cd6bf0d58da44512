// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

/// The inputs of the fuzzer in `Fuzz/`, which `Scripts/fuzz` extends.
@Suite struct `The fuzzer's inputs` {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fuzz/Targets")

    private static func seeds(_ target: FuzzTarget) throws -> [[UInt8]] {
        try FuzzCorpus(folder: root.appending(path: "\(target.rawValue)/seeds")).inputs
    }

    private static func corpus(_ target: FuzzTarget) throws -> [[UInt8]] {
        try FuzzCorpus(file: root.appending(path: "\(target.rawValue)/corpus")).inputs
    }

    @Test(arguments: FuzzTarget.allCases)
    func `the fuzzer's seeds and corpus have the property of their target`(_ target: FuzzTarget) throws {
        var (accepted, refused) = (0, 0)
        for input in try Self.seeds(target) + Self.corpus(target) {
            #expect(throws: Never.self, "\(Data(input).base64EncodedString())") {
                if try target.check(input) { accepted += 1 } else { refused += 1 }
            }
        }
        #expect(accepted > 1 && refused > 0, "\(accepted) accepted, \(refused) refused")
    }

    @Test func `every target of the fuzzer has a folder with seeds, a dictionary and a corpus`() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.root.path)
        #expect(Set(folders) == Set(FuzzTarget.allCases.map(\.rawValue)))
        for target in FuzzTarget.allCases {
            let folder = Self.root.appending(path: target.rawValue)
            #expect(FileManager.default.fileExists(atPath: folder.appending(path: "dictionary").path), "\(target)")
            #expect(try !Self.corpus(target).isEmpty, "\(target)")
        }
    }

    @Test func `the fuzzer's HTTP requests are read alike wherever they are cut in two`() throws {
        var accepted = 0
        for bytes in try Self.seeds(.httpParser) {
            for cut in bytes.indices.dropFirst() {
                let pieces = [Array(bytes[..<cut]), Array(bytes[cut...])]
                #expect(throws: Never.self, "\(Data(bytes).base64EncodedString()), cut at \(cut)") {
                    accepted += try DecoderComparison().compare(pieces)
                }
            }
        }
        #expect(accepted > 0)
    }
}
