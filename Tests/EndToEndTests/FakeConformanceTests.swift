// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import Testing

@testable import freshet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `freshet contract test` against the fake backends that an app's team is given to try it on.
@Suite(.timeLimit(.minutes(5))) struct `The live test of a fake backend` {
    @Test(
        arguments: [
            ("authservice", ["--email", "ann@example.com", "--password-stdin"], "/dashboard"),
            ("bitbasel", ["--sign-in", "apple", "--field", "identity_token=apple-token"], "/posts/feed"),
            ("melchat", ["--email", "ann@example.com", "--code", "123456"], "/api/me"),
            ("creatist", ["--email", "ann@example.com", "--password-stdin"], "/items"),
            ("outbox", ["--email", "ann@example.com", "--password-stdin"], "/api/v1/items"),
        ],
        [false, true]
    )
    func `the live test of a fake backend finds no difference from its app's contract`(
        fake: (app: String, signIn: [String], resource: String),
        hasLogout: Bool
    ) async throws {
        try await TestEnvironment.live { world in
            try await RunningServer.run(["--backend", fake.app], accessTTL: nil, hasData: false) { server in
                var settings = URLRequest(url: try #require(URL(string: server.address + "/__backend/settings")))
                settings.httpMethod = "POST"
                settings.httpBody = Data(#"{"has_logout":\#(hasLogout || fake.app == "melchat")}"#.utf8)
                let (_, answer) = try await URLSessionTransport.shared.data(for: settings)
                #expect(answer.statusCode == 200)
                let test = ["contract", "test", fake.app, "--base-url", server.address, "--longest-wait", "0s"]
                let call = ["--call", "GET", fake.resource]
                let table = try await world.tool(test + fake.signIn + call, input: "correct horse\n")
                #expect(table.status == 0, "\(table.output)\(table.notes)")
                #expect(!table.output.contains("NO\n"), "\(table.output)")
                #expect(!table.output.contains("lack Cache-Control"), "\(table.output)")
            }
        }
    }
}
