// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// One of the accounts in a ``SessionDirectory``.
public struct SessionAccount: Sendable, Equatable, Identifiable {
    /// The name under which its session rests.
    public var name: String
    /// What is known about its session.
    public var status: SessionStatus
    /// Whether it is the one to act for unless somebody says otherwise.
    public var isDefault: Bool

    /// The same as the name.
    public var id: String { name }
}
