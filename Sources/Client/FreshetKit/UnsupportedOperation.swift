// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// An operation for which a session's contract has no endpoint.
@nonexhaustive
public enum UnsupportedOperation: Sendable, Equatable {
    /// Refreshing: the contract has no `refresh`, or the session has no refresh token.
    case refresh
    /// A sign-in, a sign-up or a request for a code, by the endpoint's name, such as `login.password`.
    case signIn(endpoint: String, contract: String)
    /// Listing the user's sessions.
    case listSessions(contract: String)
    /// Revoking another of the user's sessions.
    case endSession(contract: String)
    /// Revoking all of the user's sessions.
    case signOutEverywhere(contract: String)
    /// Opening the contract's socket, without a URL of the app's own.
    case socket(contract: String)
}

extension UnsupportedOperation: CustomStringConvertible {
    /// The missing endpoint, and an alternative.
    public var description: String {
        switch self {
        case .refresh:
            "This session cannot be refreshed: its contract has no refresh endpoint, or the server issued no refresh token. "
                + "Sign in again for a new access token."
        case .signIn(let endpoint, let contract):
            "The contract '\(contract)' has no endpoint '\(endpoint)'. Sign in another way, or add the endpoint to the contract."
        case .listSessions(let contract):
            "The contract '\(contract)' has no endpoint that lists sessions ('sessions.list'). If the server has one, add it to "
                + "the contract; without one, only this session is known here."
        case .endSession(let contract):
            "The contract '\(contract)' has no endpoint that ends another session ('sessions.revoke'). If the server has one, "
                + "add it to the contract; without one, sign out on the other device."
        case .signOutEverywhere(let contract):
            "The contract '\(contract)' has no endpoint that ends all sessions ('logoutAll'). If the server has one, add it to "
                + "the contract; without one, sign out on each device."
        case .socket(let contract):
            "The contract '\(contract)' has no socket ('socket'). Give the URL of the socket, or add it to the contract."
        }
    }
}
