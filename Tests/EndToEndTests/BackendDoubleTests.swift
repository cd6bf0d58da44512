// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import FreshetNIO
import Testing

@testable import freshet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `freshet serve --backend`, as an app's team uses it.
@Suite(.timeLimit(.minutes(5))) struct `The double of a backend` {
    @Test func `an app signs in, loses a response and an access token, and stays signed in`() async throws {
        try await RunningServer.run(["--backend", "bitbasel"], accessTTL: nil, hasData: false) { server in
            let url = try #require(URL(string: server.address))
            let session = try AuthSession(
                contract: .named("bitbasel"),
                baseURL: url,
                store: InMemoryStore(),
                transport: NIOTransport()
            )
            try await session.signIn(.appleIdentityToken("apple-token"))
            let feed = URLRequest(url: url.appending(path: "posts/feed"))
            #expect(try await session.data(for: feed).1.statusCode == 200)

            let faults = try await server.send(
                "POST",
                "/__backend/faults",
                json: ["fault": "reply_lost", "at": "refresh"]
            )
            #expect(faults.status < 300)
            let revoked = try await server.send("POST", "/__backend/revoke", json: ["tokens": "access"])
            #expect(revoked.status < 300)
            #expect(try await session.data(for: feed).1.statusCode == 200)

            let counts = try await server.send("GET", "/__backend/counts")
            let seen = counts.object["counts"] as? [String: Int]
            #expect(seen?["refreshes"] == 2, "\(counts.text)")
            #expect(session.state == .active)
        }
    }

    @Test(
        arguments: [
            (["--backend", "nobody"], "there is no backend"),
            (["--backend", "melchat", "--data", "x"], "--data cannot be used with --backend"),
            (["--backend", "melchat", "--dialect", "melchat"], "--dialect cannot be used with --backend"),
            (["--backend", "melchat", "--contract", "melchat"], "--contract cannot be used with --backend"),
            (["--backend", "melchat", "--no-pages"], "--no-pages cannot be used with --backend"),
            (["--backend", "melchat", "--check-config"], "--check-config cannot be used with --backend"),
            (["--faults", "x.json"], "needs --backend"),
            (["--backend", "melchat", "--faults", "none.json"], "none.json"),
            (["--backend", "melchat", "--port", "70000"], "70000"),
        ]
    )
    func `invalid options and options that conflict with --backend are usage errors`(
        arguments: [String],
        message: String
    ) async throws {
        try await TestEnvironment.live { world in
            let ending = try await world.tool(["serve"] + arguments)
            #expect(ending.status == 64)
            #expect(ending.notes.contains(message), "\(ending.notes)")
        }
    }
}
