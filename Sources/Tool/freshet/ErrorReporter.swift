// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import FreshetCommandLine

/// The output of errors: message, format and exit code.
enum ErrorReporter {
    /// The format with `--json`: `{"error":{"code":…,"message":…}}`.
    struct View: Encodable, Equatable {
        struct Content: Encodable, Equatable {
            var code: String
            var message: String
        }

        var error: Content

        init(_ code: String, _ message: String) {
            error = Content(code: code, message: message)
        }
    }

    /// Prints `error`, and exits the process.
    static func exit(_ error: any Error, asJSON: Bool) -> Never {
        switch error {
        case let error as ToolError:
            if asJSON { show(View(error.code, "\(error)")) } else { Output.note("freshet: \(error)") }
            FreshetCommand.exit(withError: error.exitCode)
        case let code as ExitCode:
            // The command has printed its message.
            FreshetCommand.exit(withError: Output.exitCode(code))
        default:
            let exitCode = FreshetCommand.exitCode(for: error)
            let isUsage = exitCode == .validationFailure
            if exitCode.isSuccess { FreshetCommand.exitReporting(error) }
            let message = FreshetCommand.message(for: error)
            if asJSON {
                show(View(isUsage ? "usage" : "unexpected", message))
            } else if isUsage {
                // The parser's text starts with a prefix of its own, and ends with the usage of the subcommand.
                let text = FreshetCommand.fullMessage(for: error)
                Output.note("freshet: \(text.hasPrefix("Error: ") ? text.dropFirst("Error: ".count) : text[...])")
            } else {
                Output.note("freshet: unexpected error: \(message)")
            }
            // EX_SOFTWARE of sysexits.h.
            FreshetCommand.exit(withError: isUsage ? exitCode : ExitCode(70))
        }
    }

    /// Whether the command line contains `--json`, even if the rest of it is invalid.
    static func wantsJSON(_ arguments: [String]) -> Bool {
        arguments.dropFirst().prefix { $0 != "--" }.contains("--json")
    }

    private static func show(_ view: View) { try? Output.json(view) }
}
