// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The credentials of a sign-in.
///
/// Their description is redacted.
@nonexhaustive
public enum SignInCredentials: Sendable {
    /// An email address and a password.
    case password(email: String, password: String)
    /// The code that ``AuthSession/requestEmailCode(email:)`` sent.
    case emailCode(EmailCodeAttempt, code: String)
    /// The result of Sign in with Apple, for a contract that has `login.apple`.
    ///
    /// Apple gives the full name only at the user's first sign-in, and not in the identity token.
    case appleIdentityToken(String, nonce: String? = nil, fullName: String? = nil)
    /// The fields of another sign-in endpoint of the contract, whose name starts with `login.`.
    case fields(endpoint: String, [String: String])
    /// Tokens that the app's own login call returned.
    case tokens(TokenGrant)
}

extension SignInCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A redacted description.
    public var description: String {
        switch self {
        case .password: "SignInCredentials.password(•••)"
        case .emailCode: "SignInCredentials.emailCode(•••)"
        case .appleIdentityToken: "SignInCredentials.appleIdentityToken(•••)"
        case .fields(let endpoint, _): "SignInCredentials.fields(\(endpoint), •••)"
        case .tokens: "SignInCredentials.tokens(•••)"
        }
    }
    /// A redacted description.
    public var debugDescription: String { description }
    /// An empty mirror: `dump` shows no contents.
    public var customMirror: Mirror { .concealing(self) }
}
