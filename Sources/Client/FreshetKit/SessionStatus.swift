// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// A snapshot of a session, without secrets.
public struct SessionStatus: Sendable, Equatable {
    /// The session's state.
    public var state: SessionState
    /// The server's ID of the session.
    public var sessionID: String?
    /// The ID of the session's user.
    public var userID: String?
    /// The user's email address, if the server sent it.
    public var email: String?
    /// The number of refreshes that led to the current refresh token.
    public var generation: UInt64?
    /// The expiry of the access token, by this device's wall clock.
    public var accessTokenExpiresAt: Date?
    /// The expiry of the session itself, by the device's wall clock; `nil` if the backend states none.
    public var sessionExpiresAt: Date?
    /// Whether the session can be refreshed; if not, it lasts while the server accepts its access token.
    public var isRenewable = true
    /// Whether the newest tokens are stored.
    ///
    /// If not, they are in memory, and the session retries the write.
    public var isSaved: Bool
    /// Whether a sign-out has not been delivered to the server yet.
    public var hasPendingLogout: Bool
    /// A description of the storage location.
    public var store: String
    /// The reason that the store cannot be read; `nil` if it can.
    public var storeFault: SessionStoreError?
}
