// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The tokens that a backend's double hands out at a sign-in or a refresh.
public struct BackendTokenResponse: Sendable, Equatable {
    /// Whose tokens they are: the `sub` of the access token.
    public var userID: String
    /// A JWT.
    public var accessToken: String
    /// The refresh token that is good from now on; the legacy backend of melchat has none.
    public var refreshToken: String?
    /// How long the access token lives, in seconds.
    public var lifetime: Int
    /// The refresh token, if the answer names it.
    var namedRefreshToken: String?
    var user: BackendUser
}

extension BackendTokenResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A mask.
    public var description: String { "BackendTokenResponse(\(userID), •••)" }
    /// A mask.
    public var debugDescription: String { description }
    /// Shows nothing.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection(), displayStyle: .struct) }
}
