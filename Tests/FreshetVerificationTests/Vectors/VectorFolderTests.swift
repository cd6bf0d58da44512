// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

/// Detects files that no test reads.
@Suite(.enabled(if: VectorFolder.isPresent, VectorFolder.absence)) struct `The folder of test vectors` {
    @Test func `every file of the vectors' folder is read by a test, or named with the reason that it is not`() throws {
        #expect(try VectorFolder.names().filter { $0 != "README.md" } == ["json", "wycheproof"])
        #expect(try VectorFolder.names(in: "json") == ["LICENSE", "test_parsing"])
        let read = VectorExceptions.signatures + VectorExceptions.tokens + [VectorExceptions.encryptedTokens]
        let names = read.map(\.name) + Array(VectorExceptions.unused.keys) + ["LICENSE"]
        #expect(try VectorFolder.names(in: "wycheproof") == names.sorted())
    }
}
