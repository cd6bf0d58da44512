// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// One of the user's sessions, on this or another device.
public struct DeviceSession: Sendable, Equatable, Identifiable {
    /// The server's ID of the session.
    public var id: String
    /// Whether it is the current session.
    public var isCurrent: Bool
    /// The device's description of itself.
    public var device: DeviceDescription
    /// The time at which the user signed in.
    public var createdAt: Date
    /// The time of the session's last refresh.
    public var lastUsedAt: Date
    /// The time at which the session expires unless it is refreshed before then.
    public var expiresAt: Date
}
