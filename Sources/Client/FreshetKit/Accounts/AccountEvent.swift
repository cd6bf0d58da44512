// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Something that happened to one of the accounts in a ``SessionDirectory``.
public struct AccountEvent: Sendable, Equatable {
    /// The name under which the account's session rests.
    public var account: String
    /// What happened.
    public var event: SessionEvent
}

extension AccountEvent: CustomStringConvertible {
    /// One line for a person, without a secret: the account, what happened, why, and what comes next.
    public var description: String { "\(account.onOneLine): \(event)" }
}
