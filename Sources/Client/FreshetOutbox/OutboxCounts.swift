// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The number of items in an outbox, by state.
public struct OutboxCounts: Sendable, Equatable {
    /// The number of items of the current account that wait for their turn or for the end of a back-off.
    public var waiting = 0
    /// The number of items that are being sent.
    public var sending = 0
    /// The number of items of the current account that are held, see ``OutboxHoldReason``.
    public var held = 0
    /// The number of dead letters of the current account.
    public var dead = 0
    /// The size of the current account's items and dead letters, in bytes.
    public var bytes = 0
    /// The number of items of other accounts, which wait for their users to sign in.
    ///
    /// ``RequestOutbox/otherAccounts()`` returns those accounts.
    public var others = 0
    /// The number of items in ``others`` whose user is unknown; see ``RequestOutbox/adopt(_:)``.
    public var unknown = 0

    /// Creates counts of zero.
    public init() {}
}
