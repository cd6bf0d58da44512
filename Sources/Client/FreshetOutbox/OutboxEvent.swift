// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
internal import FreshetKit

/// Something that happened to an item of the outbox.
///
/// It names neither content nor token.
public struct OutboxEvent: Sendable, Equatable {
    /// What happened.
    @nonexhaustive
    public enum Kind: Sendable, Equatable {
        /// It is durable.
        case enqueued
        /// It is on its way, for the how manieth time since this process picked it up.
        case sending(attempt: Int)
        /// The server has it; the status it answered.
        case delivered(status: Int)
        /// Another process sent it, or set it aside.
        case gone
        /// The attempt failed, and the next one follows after a pause.
        case retrying(after: Duration)
        /// It waits; without an ID all items of the account do.
        case held(OutboxHoldReason)
        /// What held the account's items is over.
        case resumed
        /// This number of items waits for users who are not signed in; told whenever the number changes.
        case othersWaiting(Int)
        /// It was set aside.
        case dead(OutboxDeadLetterReason)
    }

    /// The item, unless all are meant.
    public var id: UUID?
    /// The item's lane.
    public var lane: String?
    /// What happened.
    public var kind: Kind
}
