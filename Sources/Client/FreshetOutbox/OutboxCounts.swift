// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// How many items an outbox holds, by what they do.
public struct OutboxCounts: Sendable, Equatable {
    /// Items of the current account that wait for their turn, or for the end of a back-off.
    public var waiting = 0
    /// Items on their way.
    public var sending = 0
    /// Items of the current account that nothing here can bring forward: see ``OutboxHoldReason``.
    public var held = 0
    /// Dead letters of the current account.
    public var dead = 0
    /// What the current account's items and dead letters take up.
    public var bytes = 0
    /// Items of other accounts; they wait for their users.
    ///
    /// ``Outbox/otherAccounts()`` tells whose they are.
    public var others = 0
    /// Those of ``others`` whose user is unknown: ``Outbox/adopt(_:)``.
    public var unknown = 0

    /// Nothing.
    public init() {}
}
