// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import FreshetOutbox

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A transport that an app can write with the public names alone.
struct NoNetwork: HTTPTransport {
    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        throw URLError(.notConnectedToInternet)
    }

    func exchange(_ request: URLRequest, deadline: Duration) async throws -> (Data, HTTPURLResponse) {
        throw URLError(.notConnectedToInternet)
    }
}

guard let url = URL(string: "https://api.example.com") else { exit(1) }
let session = try AuthSession(baseURL: url, store: InMemoryStore(), transport: NoNetwork())
guard session.state == .signedOut(nil) else {
    print("a session on an empty store is \(session.state)")
    exit(1)
}
do {
    _ = try await session.accessToken()
    print("a session on an empty store handed out a token")
    exit(1)
} catch {
    guard error == .signedOut(nil) else { throw error }
}
guard Contract.supabase.name == "supabase" else {
    print("a preset is not read")
    exit(1)
}
let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
defer { try? FileManager.default.removeItem(at: folder) }
let outbox = try session.outbox(directory: folder)
do {
    try await outbox.enqueue(URLRequest(url: url))
    print("an outbox took a request without an account")
    exit(1)
} catch {
    guard error == .noAccount else { throw error }
    print("an app that adds Freshet resolves one package, builds and runs")
}
