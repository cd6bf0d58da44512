// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import FreshetCommandLine
import FreshetIdentity
import FreshetServer
import FreshetWire

/// `freshet client-secret`: creates a secret for an OAuth client.
struct ClientSecretCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client-secret",
        abstract: "Creates a secret for an OAuth client, and its hash for the server's client registry.",
        discussion: """
            Give the secret to the client, and put the hash into the file of `freshet serve --oauth-clients FILE`: \
            {"clients": [{"id": "web", "kind": "confidential", "secret": "sha256:…"}, {"id": "phone", "kind": "public"}]}

            Example:
              freshet client-secret
            """
    )

    @Flag(help: "Print JSON, which is the only form.")
    var json = false

    func run() throws {
        // 256 random bits.
        let secret = Intent.random().text + Intent.random().text
        try Output.json(View(secret: secret, hash: ClientSecretHash(of: secret).text))
    }

    private struct View: Encodable {
        var secret: String
        var hash: String
    }
}
