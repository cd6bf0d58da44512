// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The same surface for the app, with a session in place of the token manager.
struct MessagesClient: MessagesAPI {
    private let server: URL
    private let session: AuthSession
    private let old: TokenStorage

    init(
        server: URL,
        store: any SessionStore,
        old: TokenStorage,
        transport: any HTTPTransport = URLSessionTransport()
    ) throws(SessionError) {
        self.server = server
        self.old = old
        // The contract has what the token manager had in code: paths, the envelope, expiry, and which response ends a
        // session. The preset cannot know the keys of this app's storage.
        let location = LegacyTokenLocation(
            access: "access_token",
            refresh: "refresh_token",
            expiresAt: .seconds("expires_at")  // The earlier of this and the token's own expiry counts.
        )
        session = try AuthSession(
            contract: .outbox.importing(location),
            baseURL: server,
            store: store,
            configuration: .app(),
            transport: transport
        )
    }

    func launch() async {
        // Keeps the user signed in: only the first launch of the new version has something to import. If it fails, the
        // old items stay, and the next launch tries again.
        _ = try? await session.importSession(from: old)
    }

    var isSignedIn: Bool {
        switch session.state {
        case .signedOut, .recordUnusable: false
        default: true  // Also offline, and `unknown`: while the keychain is locked no sign-in is shown.
        }
    }

    func signIn(email: String, password: String) async throws {
        try await session.signIn(.password(email: email, password: password))
    }

    func send(_ text: String) async throws {
        let (_, response) = try await session.data(for: .message(text, to: server))
        guard response.statusCode == 201 else { throw UnexpectedStatus(status: response.statusCode) }
    }

    func signOut() async {
        // Only a store that cannot be written is an error here, and the next launch repeats the sign-out.
        try? await session.signOut()
    }
}

/// All that is left of the old storage. For a keychain this is `LegacyKeychainItems(service:)`, and no code of the app.
extension TokenStorage: LegacyTokenSource {
    func text(of item: LegacyItem) throws(SessionStoreError) -> String? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        do { return try read()[item.key] } catch { throw SessionStoreError(.failed, "the old tokens cannot be read") }
    }

    func remove(_ item: LegacyItem) throws(SessionStoreError) { self[item.key] = nil }
}
