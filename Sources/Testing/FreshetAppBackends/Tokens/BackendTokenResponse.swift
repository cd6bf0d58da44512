// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The tokens that a fake backend issues at a sign-in or a refresh.
package struct BackendTokenResponse: Sendable, Equatable {
    /// The user of the tokens: the `sub` of the access token.
    package var userID: String
    /// The access token, a JWT by default.
    package var accessToken: String
    /// The refresh token that is valid from now on; melchat's legacy backend has none.
    package var refreshToken: String?
    /// The lifetime of the access token, in seconds.
    package var lifetime: Int
    /// The refresh token, if the response contains it.
    var namedRefreshToken: String?
    var user: BackendUser
}

extension BackendTokenResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The user, with the tokens masked.
    package var description: String { "BackendTokenResponse(\(userID), •••)" }
    /// The same as ``description``.
    package var debugDescription: String { description }
    /// An empty mirror, to keep tokens out of output.
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection(), displayStyle: .struct) }
}
