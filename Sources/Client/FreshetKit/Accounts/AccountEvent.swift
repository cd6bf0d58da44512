// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// An event of one of the accounts in a ``SessionDirectory``.
public struct AccountEvent: Sendable, Equatable {
    /// The account's name.
    public var account: String
    /// The event.
    public var event: SessionEvent
}

extension AccountEvent: CustomStringConvertible {
    /// One line for a log, without secrets: the account, the event, its cause and its consequence.
    public var description: String { "\(account.onOneLine): \(event)" }
}
