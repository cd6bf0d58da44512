// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// What is known about the session, without a secret in it.
public struct SessionStatus: Sendable, Equatable {
    /// Where the session stands.
    public var state: SessionState
    /// The server's name for the session.
    public var sessionID: String?
    /// Whose session it is.
    public var userID: String?
    /// The user's address, if the server told it.
    public var email: String?
    /// How many refreshes led to the current refresh token.
    public var generation: UInt64?
    /// When the access token ends, by this device's wall clock.
    public var accessTokenExpiresAt: Date?
    /// When the session itself ends whatever is refreshed, by this device's wall clock, if the backend says so.
    public var sessionExpiresAt: Date?
    /// Whether the session can be refreshed; if not it lasts as long as the server takes its access token.
    public var isRenewable = true
    /// Whether the newest tokens are in the store.
    ///
    /// If not, they are in memory, and storing them is being retried.
    public var isSaved: Bool
    /// Whether the server has yet to be told of a sign-out.
    public var hasPendingLogout: Bool
    /// Where the session rests.
    public var store: String
    /// Why the store cannot be read, if it cannot.
    public var storeFault: SessionStoreError?
}
