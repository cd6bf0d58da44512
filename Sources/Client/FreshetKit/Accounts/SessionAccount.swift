// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// An account in a ``SessionDirectory``.
public struct SessionAccount: Sendable, Equatable, Identifiable {
    /// The name under which its session is stored.
    public var name: String
    /// A snapshot of its session.
    public var status: SessionStatus
    /// Whether it is the default account.
    public var isDefault: Bool

    /// The name.
    public var id: String { name }
}
