// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetCommandLine
import FreshetKit
import FreshetWire

/// `freshet token`: prints a valid access token.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Prints a valid access token, refreshing it first if needed.",
        discussion: """
            Example:
              curl -H "Authorization: Bearer $(freshet token)" https://api.example.com/me
            """
    )

    @OptionGroup var options: ProfileOptions

    @Flag(help: "Refresh even if the stored token is valid.")
    var refresh = false

    func run() async throws {
        let session = try options.value.session()
        let token = try await ServerCall.perform {
            if refresh { try await session.refresh() }
            let token = try await session.accessToken()
            await session.awaitConfirmation()
            return token
        }
        if options.json {
            return try Output.json(View(accessToken: token.value, expiresAt: token.expiresAt))
        }
        Output.line(token.value)
    }

    struct View: Encodable, Masked {
        var accessToken: String
        var tokenType = "Bearer"
        var expiresAt: Date

        var mask: String { "TokenCommand.View(access token •••)" }

        private enum CodingKeys: String, CodingKey {
            case accessToken = "access_token"
            case tokenType = "token_type"
            case expiresAt = "expires_at"
        }
    }
}
