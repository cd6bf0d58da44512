// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetCommandLine

/// The `freshet` tool, with one file per subcommand.
@main
struct FreshetCommand: AsyncParsableCommand {
    /// The version that `--version` prints; a release removes the suffix.
    static let version = "0.1.0-dev"

    static let configuration = CommandConfiguration(
        commandName: "freshet",
        abstract: "Keeps users signed in: a token server, and a client that always has a valid token.",
        discussion: """
            Example:
              freshet demo

            Exit codes:
              0   success
              1   the result is no: a response has a status of 400 or more, a token
                  is rejected, there is nothing to list or to end, or a scenario
                  of the demo failed
              4   sign-in needed
              5   the network or the server is unavailable
              6   the session's store, the data folder or the database is unavailable
              7   a response or a contract file is faulty
              64  wrong usage or configuration
              69  the contract has no endpoint for the command
              70  an error that freshet does not know
              74  standard output cannot be written, such as to a full device

            With --json, an error is {"error":{"code":"...","message":"..."}} on standard output; the code is \
            usage, sign_in_needed, network, store_unavailable, contract_fault, unsupported or unexpected.

            With FRESHET_METRICS_FILE, every run adds its session's metrics to that file, in Prometheus' text format.
            """,
        version: "freshet \(version)",
        subcommands: [
            InitCommand.self, DemoCommand.self, ServeCommand.self, LoginCommand.self, TokenCommand.self,
            RequestCommand.self,
            StatusCommand.self, WatchCommand.self, SessionsCommand.self, LogoutCommand.self, DecodeCommand.self,
            VerifyCommand.self,
            ContractCommand.self, UsersCommand.self, OperatorCommand.self, KeysCommand.self, ClientSecretCommand.self,
            MigrateCommand.self, BackupCommand.self, RestoreCommand.self,
        ]
    )

    /// Runs the subcommand, and exits with a message and an exit code if it fails.
    static func main() async {
        unblockSignals()
        let metrics = MetricsFile.named
        metrics?.begin()
        do {
            var command = try parse()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            metrics?.add()
            exit(withError: Output.exitCode(.success))
        } catch {
            metrics?.add()
            ErrorReporter.exit(error, asJSON: ErrorReporter.wantsJSON(CommandLine.arguments))
        }
    }

    /// Returns the subcommand with its options.
    ///
    /// - Throws: A usage error that suggests a subcommand, or ArgumentParser's errors.
    private static func parse() throws -> any ParsableCommand {
        let arguments = Array(CommandLine.arguments.dropFirst())
        // Help for a word that is no subcommand would be that of the whole tool, with success.
        if arguments.first == "help", let unknown = UnknownSubcommand.find(in: arguments) {
            throw ToolError.usage("\(unknown)")
        }
        do { return try parseAsRoot(arguments) } catch {
            guard !exitCode(for: error).isSuccess, let unknown = UnknownSubcommand.find(in: arguments) else {
                throw error
            }
            throw ToolError.usage("\(unknown)")
        }
    }

    /// Unblocks signals: a child inherits the mask, and the thread pool of the parent may have blocked all signals.
    private static func unblockSignals() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGTERM, SIGINT] { sigaddset(&signals, signal) }
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }
}
