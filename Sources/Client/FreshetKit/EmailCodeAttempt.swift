// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
internal import FreshetWire

/// A sign-in code that was requested, and that the user has not entered yet.
///
/// It binds the code to the client that requested it, so keep it secret; its description is redacted. It is `Codable`
/// so that a command-line tool can store it between two runs.
public struct EmailCodeAttempt: Sendable, Codable, Equatable {
    /// The server's ID of the attempt.
    public let id: String
    /// The email address that the code was sent to.
    public let email: String
    /// The expiry of the code, by this device's wall clock.
    public let expiresAt: Date
    /// A random value with which a repeated verification, after a lost response, returns the same session.
    let intent: String

    init(id: String, email: String, expiresAt: Date, intent: String) {
        self.id = id
        self.email = email
        self.expiresAt = expiresAt
        self.intent = intent
    }

    /// Creates an attempt for a code that the app requested, or that the backend sent without a request.
    public init(email: String) {
        self.init(id: "", email: email, expiresAt: .distantFuture, intent: Intent.random().text)
    }
}

extension EmailCodeAttempt: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A redacted description.
    public var description: String { "EmailCodeAttempt(\(email), •••)" }
    /// A redacted description.
    public var debugDescription: String { description }
    /// An empty mirror: `dump` shows no contents.
    public var customMirror: Mirror { .concealing(self) }
}
