// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import ArgumentParser

extension ParsableCommand {
    /// Prints the help, or the message of an error, and exits the process.
    ///
    /// ArgumentParser's own function prints to a buffer, whose loss on a full device is not noticed.
    package static func exitReporting(_ error: any Error) -> Never {
        let code = exitCode(for: error)
        let message = fullMessage(for: error, columns: nil)
        if !message.isEmpty { if code.isSuccess { Output.line(message) } else { Output.note(message) } }
        exit(withError: Output.exitCode(code))
    }
}
