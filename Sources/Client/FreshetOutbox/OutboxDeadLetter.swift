// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
internal import FreshetKit

/// An item that was set aside, and why.
public struct OutboxDeadLetter: Sendable, Equatable, Identifiable {
    /// The item's ID.
    public var id: UUID
    /// The lane it was in, and goes back to.
    public var lane: String
    /// Why it was set aside.
    public var reason: OutboxDeadLetterReason
    /// What the server said, shortened, and without anything that looks like a secret.
    public var text: String?
    /// When it was set aside, by this device's wall clock.
    public var deadLetteredAt: Date
    /// How often it was sent since the process that set it aside had picked it up.
    public var attempts: Int
}
