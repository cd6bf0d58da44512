// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import FreshetTesting
import Notes

/// A device with the app: a clock that the test advances, a backend in this process, and a store.
struct Device {
    static let password = SignInCredentials.password(email: "ann@example.com", password: "secret")

    let clock = TestClock()
    let backend: TestBackend
    let store = InMemoryStore()
    let baseURL: URL

    init() throws {
        backend = TestBackend(clock: clock)
        backend.on("/items") { request, userID in
            request.method == "POST"
                ? BackendResponse(201) : BackendResponse(json: #"{"owner": "\#(userID)", "items": []}"#)
        }
        guard let url = URL(string: "https://api.example.com") else { throw URLError(.badURL) }
        baseURL = url
    }

    /// Creates a session as the app does at each launch.
    func session(_ transport: (any HTTPTransport)? = nil) throws -> AuthSession {
        try AuthSession(baseURL: baseURL, store: store, transport: transport ?? backend, clock: clock)
    }

    func signedIn(_ transport: (any HTTPTransport)? = nil) async throws -> AuthSession {
        try await session().signIn(Self.password)
        return try session(transport)
    }

    func client(_ session: AuthSession) -> NotesClient { NotesClient(session: session, baseURL: baseURL) }
}
