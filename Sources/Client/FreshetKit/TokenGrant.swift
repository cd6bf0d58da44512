// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Tokens from the app's own login call.
///
/// Their description is redacted.
public struct TokenGrant: Sendable, Equatable {
    /// The access token.
    public var accessToken: String
    /// The refresh token; without one the session lasts until its access token expires.
    public var refreshToken: String?
    /// The access token's lifetime; `nil` for the lifetime from its claims or from the contract.
    public var expiresIn: Duration?
    /// The ID of the tokens' user.
    public var userID: String?
    /// The user's email address.
    public var email: String?

    /// Creates a grant from the fields of a login response.
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
    /// A redacted description.
    public var description: String { "TokenGrant(•••)" }
    /// A redacted description.
    public var debugDescription: String { description }
    /// An empty mirror: `dump` shows no contents.
    public var customMirror: Mirror { .concealing(self) }
}
