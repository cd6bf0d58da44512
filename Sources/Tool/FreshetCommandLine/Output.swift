// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import ArgumentParser
package import Foundation
import NIOConcurrencyHelpers

#if canImport(Glibc)
    import Glibc

    private let systemWrite = Glibc.write
#else
    import Darwin

    private let systemWrite = Darwin.write
#endif

/// Writes the output of a command: results to standard output, everything else to standard error.
package enum Output {
    /// Whether standard output refused data for another reason than a closed pipe.
    private static let isIncomplete = NIOLockedValueBox(false)

    /// Writes a line immediately, even into a pipe.
    package static func line(_ text: String) { write(text + "\n") }

    /// Reports on standard error that there was nothing to show or to do.
    ///
    /// - Returns: The exit code to throw, so that scripts do not see success.
    package static func nothing(_ text: String) -> ExitCode {
        note(text)
        return ExitCode(1)
    }

    package static func note(_ text: String) { prompt(text + "\n") }

    /// Writes a text without a newline to standard error.
    package static func prompt(_ text: String) { _ = write(Data(text.utf8), to: STDERR_FILENO) }

    @discardableResult
    package static func write(_ text: String) -> Bool { write(Data(text.utf8)) }

    /// Writes bytes to standard output.
    ///
    /// The reader of a pipe may close it at any time. Any other failure, such as a full device, is reported once, and
    /// ``exitCode(_:)`` then returns a failure.
    ///
    /// - Returns: Whether standard output took the bytes; a command that runs until it is stopped ends otherwise.
    @discardableResult
    package static func write(_ data: Data) -> Bool {
        if isIncomplete.withLockedValue({ $0 }) { return false }
        guard let code = write(data, to: STDOUT_FILENO) else { return true }
        if code == EPIPE { return false }
        isIncomplete.withLockedValue { $0 = true }
        note("\(ProcessInfo.processInfo.processName): standard output: \(String(cString: strerror(code)))")
        return false
    }

    /// Returns the exit code of the program: that of its command, or 74 if the output of a successful one is incomplete.
    package static func exitCode(_ code: ExitCode) -> ExitCode {
        // EX_IOERR of sysexits.h.
        code.isSuccess && isIncomplete.withLockedValue { $0 } ? ExitCode(74) : code
    }

    /// Writes a table; its header is bold on a terminal.
    package static func table(_ header: [String], _ rows: [[String]], right: Set<Int> = []) {
        TextTable(header, rows, right: right).lines(.output).forEach(line)
    }

    /// Writes a value as one line of JSON with sorted keys, for scripts.
    package static func json(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        line(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Returns the system's error code; `nil` if everything was written.
    private static func write(_ data: Data, to descriptor: Int32) -> Int32? {
        data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                // Not Foundation's handle, whose error on Linux lacks the system's code.
                let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count >= 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return errno }
            }
            return nil
        }
    }
}
