// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetWire

extension EndReason {
    /// The reason in a few words, for lists and charts.
    package var words: String {
        switch self {
        case .logout: "signed out on the device"
        case .logoutAll: "signed out everywhere"
        case .revokedByUser: "ended from another device"
        case .revokedByOperator: "ended by an operator"
        case .fork: "two holders of one token"
        case .reuse: "an old token came back"
        case .staleHolder: "a copy of the token was in use"
        case .idleTimeout: "unused for too long"
        case .absoluteTimeout: "reached its full age"
        case .userDisabled: "account disabled"
        case .sessionLimit: "too many sessions"
        case .providerRevoked: "sign-in service took its word back"
        case .other(let other): "ended for a reason that this version does not know (\(other.text))"
        }
    }

    /// Whether the user did not ask for it.
    package var isForced: Bool {
        switch self {
        case .logout, .logoutAll, .revokedByUser: false
        case .revokedByOperator, .fork, .reuse, .staleHolder, .idleTimeout, .absoluteTimeout, .userDisabled,
            .sessionLimit, .providerRevoked, .other:
            true
        }
    }
}
