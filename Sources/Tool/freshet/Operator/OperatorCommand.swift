// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetCommandLine
import FreshetPages
import FreshetServer
import FreshetSystem

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// `freshet operator`: controls access to the operators' pages of a server.
struct OperatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operator",
        abstract: "Sets the password of a server's operators.",
        discussion: """
            Operators sign in with it to the pages at /operator, which freshet serve --operator-listen serves.

            Example:
              freshet operator password --data ./freshet-data
            """,
        subcommands: [Password.self]
    )

    struct Password: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "password",
            abstract: "Sets the password; operators who are signed in have to sign in again.",
            discussion: """
                Prompts twice on a terminal, else reads one line of standard input. A running server uses the new \
                password at once. Its hash is stored in the data folder, in a file that only this user can read.

                Example:
                  freshet operator password --data ./freshet-data
                  pass show freshet | freshet operator password --data ./freshet-data
                """
        )

        @OptionGroup var options: DataOptions

        func run() async throws {
            try DataOptions.require(options.folder)
            let password = OperatorPassword(in: options.folder)
            do { try await password.set(try Self.read().text) } catch let error as ToolError {
                throw error
            } catch let refusal as OperatorPassword.Refusal {
                throw ToolError.usage("\(refusal)")
            } catch let error as any StartupError {
                throw ToolError(error)
            } catch {
                throw ToolError.unusable(options.folder, error)
            }
            noteMissingKeys()
            if options.json { return try Output.json(["set": password.file.path]) }
            Output.note("The operators' password is set.")
        }

        /// Says that the folder has no keys: it may be the mount point of a volume that is not mounted.
        private func noteMissingKeys() {
            let keys = options.folder.appending(path: "keys").path
            guard !FileManager.default.fileExists(atPath: keys),
                ProcessInfo.processInfo.environment["FRESHET_KEYS"] == nil
            else { return }
            Output.note(
                "freshet: \(options.folder.path) has no keys: if a server has run there before, check that its volume is "
                    + "mounted, because a server that starts now creates new keys and a new database"
            )
        }

        private static func read() throws -> Secret {
            guard isatty(STDIN_FILENO) == 1 else {
                guard let line = readLine(strippingNewline: true), !line.isEmpty else {
                    throw ToolError.usage("standard input contains no password")
                }
                return Secret(line)
            }
            guard let typed = HiddenPrompt.lines("Password for operators: ", "Once more: ") else {
                throw ToolError.usage("there is no terminal for the prompt")
            }
            guard typed[0].text == typed[1].text else { throw ToolError.usage("the passwords differ") }
            return typed[0]
        }
    }
}
