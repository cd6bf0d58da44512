// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import SwiftOperators
import SwiftParser
import SwiftSyntax

/// Rewrites Swift sources so that all their mutants are compiled in, each selected at run time by its number.
///
///     mutate-sources ROOT OUTPUT EXCLUDED FILE...
///
/// Reads each `FILE` under `ROOT`, writes the rewritten one under `OUTPUT`, and prints one JSON line for each mutant.
/// `EXCLUDED` is a file with the keys of mutants that do not compile, one a line.
@main
struct MutateSources {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 4 else {
            FileHandle.standardError.write(Data("mutate-sources ROOT OUTPUT EXCLUDED FILE...\n".utf8))
            exit(64)
        }
        let excluded = Set(try text(arguments[3]).split(separator: "\n").map(String.init))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var lastID = 0
        var taken: Set<String> = []
        for file in arguments[4...] {
            let tree = Parser.parse(source: try text("\(arguments[1])/\(file)"))
            let folded = OperatorTable.standardOperators.foldAll(tree) { _ in }
            let mutator = Mutator(file: file, tree: folded, excluded: excluded, taken: taken, lastID: lastID)
            let marked = mutator.render(folded)
            lastID = mutator.lastID
            taken.formUnion(mutator.ordinals.keys)
            let (source, ranges) = Markers.strip(marked)
            try Data(source.utf8).write(to: URL(fileURLWithPath: "\(arguments[2])/\(file)"))
            for var mutant in mutator.mutants {
                guard let range = ranges[mutant.site] else { continue }
                mutant.start = range.lowerBound
                mutant.end = range.upperBound
                print(String(decoding: try encoder.encode(mutant), as: UTF8.self))
            }
        }
    }

    private static func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    }
}
