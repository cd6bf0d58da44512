// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A backend that takes each refresh token once and ends the session at a second use, as a process of its own.
struct StrictBackend {
    private let server: RunningServer
    private let folder: URL

    static func run(_ body: (StrictBackend) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "freshet-strict-\(UUID())")
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        defer { try? FileManager.default.removeItem(at: folder) }
        try await RunningServer.run(["--backend", "outbox"], accessTTL: nil, hasData: false) { server in
            var request = URLRequest(url: try #require(URL(string: server.address + "/__backend/settings")))
            request.httpMethod = "POST"
            request.httpBody = Data(#"{"detects_reuse": true}"#.utf8)
            let (_, response) = try await URLSessionTransport.shared.data(for: request)
            #expect(response.statusCode == 200)
            try await body(StrictBackend(server: server, folder: folder))
        }
    }

    /// Processes with a profile of their own, signed in.
    func signedInFleet() async throws -> ProcessFleet {
        let login = ["--server", server.address, "--contract", "outbox"]
        return try await ProcessFleet.signedIn(in: folder.appending(path: UUID().uuidString), login)
    }

    /// How many refreshes it has seen.
    func refreshes() async throws -> Int {
        let counts = try await server.send("GET", "/__backend/counts").object["counts"] as? [String: Int]
        return try #require(counts?["refreshes"])
    }
}
