// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
internal import FreshetKit

/// An item that is no longer sent, and the reason.
public struct OutboxDeadLetter: Sendable, Equatable, Identifiable {
    /// The item's ID.
    public var id: UUID
    /// The item's lane, to which ``RequestOutbox/retry(_:)`` returns it.
    public var lane: String
    /// The reason.
    public var reason: OutboxDeadLetterReason
    /// The server's message, shortened, and with text that looks like a secret redacted.
    public var text: String?
    /// The time at which it became a dead letter, by this device's wall clock.
    public var deadLetteredAt: Date
    /// The number of attempts in the process that made it a dead letter.
    public var attempts: Int
}
