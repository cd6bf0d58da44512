// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Tokens from a login call of the app's own.
///
/// It prints a mask.
public struct TokenGrant: Sendable, Equatable {
    /// The access token.
    public var accessToken: String
    /// The refresh token; without one the session lasts as long as its access token.
    public var refreshToken: String?
    /// How long the access token lives; without it the token's own claims decide, or the contract.
    public var expiresIn: Duration?
    /// Whose tokens these are.
    public var userID: String?
    /// The user's address.
    public var email: String?

    /// Joins what a login call brought.
    public init(
        accessToken: String,
        refreshToken: String? = nil,
        expiresIn: Duration? = nil,
        userID: String? = nil,
        email: String? = nil
    ) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expiresIn = expiresIn
        self.userID = userID
        self.email = email
    }
}

extension TokenGrant: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A mask.
    public var description: String { "TokenGrant(•••)" }
    /// A mask.
    public var debugDescription: String { description }
    /// Shows nothing.
    public var customMirror: Mirror { .concealing(self) }
}
