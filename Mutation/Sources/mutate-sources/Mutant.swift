// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// One change of a source.
struct Mutant: Encodable {
    /// The number that selects it at run time.
    var id: Int
    /// What identifies it across versions: the hash of its function's text, and its position among that function's mutants.
    ///
    /// Where the text is also in an earlier file, its own file's path is part of the hash.
    var key: String
    var file: String
    var function: String
    var line: Int
    var `operator`: String
    var original: String
    var replacement: String
    /// The first mutant of the same place, and the place's UTF-8 range in the rewritten file.
    var site: Int
    var start = 0
    var end = 0
}
