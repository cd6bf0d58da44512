// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import ArgumentParser
package import Foundation

/// Writes the output of a command: results to standard output, everything else to standard error.
package enum Output {
    /// Writes a line at once, even into a pipe.
    package static func line(_ text: String) { write(text + "\n", to: .standardOutput) }

    /// Says on standard error that there was nothing to show or to do.
    ///
    /// - Returns: What to throw, so that scripts do not take it for success.
    package static func nothing(_ text: String) -> ExitCode {
        note(text)
        return ExitCode(1)
    }

    package static func note(_ text: String) { write(text + "\n", to: .standardError) }

    package static func write(_ text: String, to handle: FileHandle = .standardOutput) {
        // A reader that went away is no reason to crash.
        try? handle.write(contentsOf: Data(text.utf8))
    }

    /// One JSON object a line, keys in order, for scripts.
    package static func json(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        line(String(decoding: try encoder.encode(value), as: UTF8.self))
    }
}
