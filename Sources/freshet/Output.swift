// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation

/// Where the tool's words go: results to standard output, everything else to standard error.
enum Output {
    /// Writes a line at once, even into a pipe.
    static func line(_ text: String) { write(text + "\n", to: .standardOutput) }

    /// Says on standard error that there was nothing to show or to do.
    ///
    /// - Returns: What to throw, so that scripts do not take it for success.
    static func nothing(_ text: String) -> ExitCode {
        note(text)
        return ExitCode(1)
    }

    static func note(_ text: String) { write(text + "\n", to: .standardError) }

    static func write(_ text: String, to handle: FileHandle = .standardOutput) {
        // A reader that went away is no reason to crash.
        try? handle.write(contentsOf: Data(text.utf8))
    }

    /// One JSON object a line, keys in order, for scripts.
    static func json(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        line(String(decoding: try encoder.encode(value), as: UTF8.self))
    }
}
