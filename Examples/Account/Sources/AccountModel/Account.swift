// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
public import FreshetKit
public import FreshetOutbox

/// The session of the app, one for each store, and the outbox that sends as its user.
public struct Account: Sendable {
    /// The address of `freshet serve`, or of your own backend.
    public let server: URL
    /// Stores the tokens, refreshes them, and attaches one to each request.
    public let session: AuthSession
    /// Stores writes until they are delivered.
    public let outbox: RequestOutbox

    /// Reads the stored session, and begins to send stored writes as soon as that is possible.
    ///
    /// - Throws: `SessionError` or `OutboxError`, if the address or the folder cannot be used.
    public init(
        server: URL,
        store: any SessionStore,
        folder: URL,
        transport: any HTTPTransport = URLSessionTransport()
    ) throws {
        self.server = server
        // `.app()` refreshes before expiry in the foreground, and reads the keychain again after an unlock.
        session = try AuthSession(baseURL: server, store: store, configuration: .app(), transport: transport)
        outbox = try session.outbox(directory: folder)
    }
}

extension SessionError {
    /// The text below the form that failed.
    var message: String {
        switch self {
        case .signedOut, .recordUnusable, .cancelled: ""  // The sign-in screen appears, and has the reason.
        case .offline, .storeUnavailable: "Try again later."  // The user stays signed in.
        case .refused(_, let message): message ?? "The server did not accept this."
        case .stepUpRequired: "Sign in again to do this."
        default: "Please report this: \(self)"  // The app, the contract or the server is wrong.
        }
    }
}
