// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetWire

/// Why nobody is signed in any more.
@nonexhaustive
public enum SignOutReason: String, Sendable, Codable, CaseIterable {
    /// This app asked for it.
    case requested
    /// Another sign-in took the place of this session.
    case replaced
    /// The stored session was removed by another process or by hand.
    case removed
    /// The server ended the session and gave no reason, or one that this version does not know.
    case unspecified
    /// The server refused the access token, and the session had nothing to get another with.
    case unrenewable
    /// The session or its refresh token was too old for the server.
    case expired
    /// The server revoked the session.
    case revoked
    /// The server learnt that this device signed out.
    case logout
    /// The user signed out everywhere.
    case logoutAll = "logout_all"
    /// The user ended this session from another device.
    case revokedByUser = "revoked_by_user"
    /// An operator ended it.
    case revokedByOperator = "revoked_by_operator"
    /// Two holders of one refresh token: one of them is a thief.
    case fork
    /// An old refresh token came back long after its successor was in use.
    case reuse
    /// Somebody else had gone on with this session's refresh token.
    case staleHolder = "stale_holder"
    /// The session was unused for too long.
    case idleTimeout = "idle_timeout"
    /// The session reached its greatest age.
    case absoluteTimeout = "absolute_timeout"
    /// The account was disabled.
    case userDisabled = "user_disabled"
    /// The user had too many sessions, and this one was unused for longest.
    case sessionLimit = "session_limit"
    /// The service that signed the user in, such as Apple, took its word back.
    case providerRevoked = "provider_revoked"

    /// Whether the session ended because somebody else held its tokens: the user should hear about that.
    public var isTheft: Bool {
        EndReason(known: rawValue)?.isTheft ?? false
    }

    /// Reads the `reason` of a final answer.
    init(wire: String?) {
        switch wire {
        case "expired": self = .expired
        case "revoked": self = .revoked
        case "reused": self = .reuse
        case "disabled": self = .userDisabled
        default:
            let known = wire.flatMap(EndReason.init(known:))
            self = known.flatMap { SignOutReason(rawValue: $0.rawValue) } ?? .unspecified
        }
    }
}

extension SignOutReason: CustomStringConvertible {
    /// One sentence for a person.
    public var description: String {
        switch self {
        case .requested: "You signed out."
        case .replaced: "Another sign-in replaced this session."
        case .removed: "The stored session was removed on this device."
        case .unspecified: "The server ended the session."
        case .unrenewable: "The session reached its end."
        case .expired: "The session expired."
        case .revoked: "The server revoked the session."
        case .logout: "This session was signed out."
        case .logoutAll: "You signed out everywhere."
        case .revokedByUser: "You ended this session from another device."
        case .revokedByOperator: "An operator ended this session."
        case .fork, .reuse, .staleHolder: "Somebody else used this session's token, so it was ended."
        case .idleTimeout: "The session was not used for too long."
        case .absoluteTimeout: "The session reached its greatest age."
        case .userDisabled: "The account was disabled."
        case .sessionLimit: "You signed in on too many devices, and this one was unused for longest."
        case .providerRevoked: "The service that you signed in with took its permission back."
        }
    }
}
