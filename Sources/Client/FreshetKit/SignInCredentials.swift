// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// How a user signs in.
///
/// It prints a mask.
@nonexhaustive
public enum SignInCredentials: Sendable {
    /// An address and a password.
    case password(email: String, password: String)
    /// The code that ``AuthSession/requestEmailCode(email:)`` sent.
    case emailCode(EmailCodeAttempt, code: String)
    /// What Sign in with Apple gave, for a contract that has `login.apple`.
    ///
    /// Apple tells the full name at a person's first sign-in alone, and not in the identity token.
    case appleIdentityToken(String, nonce: String? = nil, fullName: String? = nil)
    /// Whatever else the contract's sign-in of this name asks for: `login.` and a word.
    case fields(endpoint: String, [String: String])
    /// Tokens that the app's own login call brought.
    case tokens(TokenGrant)
}

extension SignInCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A mask.
    public var description: String {
        switch self {
        case .password: "SignInCredentials.password(•••)"
        case .emailCode: "SignInCredentials.emailCode(•••)"
        case .appleIdentityToken: "SignInCredentials.appleIdentityToken(•••)"
        case .fields(let endpoint, _): "SignInCredentials.fields(\(endpoint), •••)"
        case .tokens: "SignInCredentials.tokens(•••)"
        }
    }
    /// A mask.
    public var debugDescription: String { description }
    /// Shows nothing.
    public var customMirror: Mirror { .concealing(self) }
}
