// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import ArgumentParser
package import Foundation

/// Writes the output of a command: results to standard output, everything else to standard error.
package enum Output {
    /// Writes a line immediately, even into a pipe.
    package static func line(_ text: String) { write(text + "\n", to: .standardOutput) }

    /// Reports on standard error that there was nothing to show or to do.
    ///
    /// - Returns: The exit code to throw, so that scripts do not see success.
    package static func nothing(_ text: String) -> ExitCode {
        note(text)
        return ExitCode(1)
    }

    package static func note(_ text: String) { write(text + "\n", to: .standardError) }

    package static func write(_ text: String, to handle: FileHandle = .standardOutput) {
        // A closed pipe must not crash the program.
        try? handle.write(contentsOf: Data(text.utf8))
    }

    /// Writes a value as one line of JSON with sorted keys, for scripts.
    package static func json(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        line(String(decoding: try encoder.encode(value), as: UTF8.self))
    }
}
