// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import FreshetCommandLine
import FreshetKit

/// `freshet logout`: ends the session.
struct LogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Signs out on this machine, or on all devices.",
        discussion: """
            Signing out on this machine works offline: the server is notified as soon as it can be reached. Exits \
            with 4 if no user is signed in.

            Example:
              freshet logout
              freshet logout --all
            """
    )

    @OptionGroup var options: ProfileOptions

    @Flag(help: "End all of the user's sessions, on every device.")
    var all = false

    func run() async throws {
        let session = try options.value.session()
        if case .signedOut(let reason) = session.state, !session.status.hasPendingLogout {
            throw ToolError(.signedOut(reason))
        }
        try await ServerCall.perform {
            if all { try await session.signOutEverywhere() } else { try await session.signOut() }
        }
        let isPending = session.status.hasPendingLogout
        if options.json { return try Output.json(["pending_logout": isPending]) }
        Output.note(isPending ? "Signed out on this machine; the server will be notified later." : "Signed out.")
    }
}
