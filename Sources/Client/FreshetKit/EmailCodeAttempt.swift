// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
internal import FreshetWire

/// A code that was asked for and has yet to be entered.
///
/// It binds the code to the client that asked for it, so keep it to yourself; it prints a mask. It is `Codable` so that a
/// tool can put it down between two runs.
public struct EmailCodeAttempt: Sendable, Codable, Equatable {
    /// The server's name for the attempt.
    public let id: String
    /// Where the code went.
    public let email: String
    /// When the code ends, by this device's wall clock.
    public let expiresAt: Date
    /// Bits of our own that make a repeated verification, after a lost answer, reach the same session.
    let intent: String

    init(id: String, email: String, expiresAt: Date, intent: String) {
        self.id = id
        self.email = email
        self.expiresAt = expiresAt
        self.intent = intent
    }

    /// A code that this SDK did not ask for: the app did, or the backend sends it by itself.
    public init(email: String) {
        self.init(id: "", email: email, expiresAt: .distantFuture, intent: Intent.random().text)
    }
}

extension EmailCodeAttempt: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A mask.
    public var description: String { "EmailCodeAttempt(\(email), •••)" }
    /// A mask.
    public var debugDescription: String { description }
    /// Shows nothing.
    public var customMirror: Mirror { .concealing(self) }
}
