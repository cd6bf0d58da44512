// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// How a user signs in.
///
/// It prints a mask.
@nonexhaustive
public enum Credentials: Sendable {
    /// An address and a password.
    case password(email: String, password: String)
    /// The code that ``Session/requestEmailCode(email:)`` sent.
    case emailCode(EmailCodeAttempt, code: String)
    /// Tokens that the app's own login call brought.
    case tokens(TokenGrant)
}

extension Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A mask.
    public var description: String {
        switch self {
        case .password: "Credentials.password(•••)"
        case .emailCode: "Credentials.emailCode(•••)"
        case .tokens: "Credentials.tokens(•••)"
        }
    }
    /// A mask.
    public var debugDescription: String { description }
    /// Shows nothing.
    public var customMirror: Mirror { .concealing(self) }
}
