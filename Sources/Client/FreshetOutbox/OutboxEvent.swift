// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
internal import FreshetKit

/// An event of an item in the outbox.
///
/// Contains no content and no token.
public struct OutboxEvent: Sendable, Equatable {
    /// The kinds of events.
    @nonexhaustive
    public enum Kind: Sendable, Equatable {
        /// The item was stored durably.
        case enqueued
        /// The item is being sent; the attempt is counted since this process read it.
        case sending(attempt: Int)
        /// The server accepted the item with this status.
        case delivered(status: Int)
        /// Another process sent the item, or made it a dead letter.
        case gone
        /// The attempt failed, and the next one follows after this delay.
        case retrying(after: Duration)
        /// The item waits; without an ID, all items of the account.
        case held(OutboxHoldReason)
        /// The account's items are no longer held.
        case resumed
        /// The number of items of users who are not signed in has changed to this.
        case othersWaiting(Int)
        /// The item became a dead letter.
        case dead(OutboxDeadLetterReason)
    }

    /// The item's ID; `nil` if the event concerns all items.
    public var id: UUID?
    /// The item's lane.
    public var lane: String?
    /// The kind of event.
    public var kind: Kind
}
