// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract
internal import FreshetWire

/// The reason that the user is no longer signed in.
@nonexhaustive
public enum SignOutReason: Hashable, Sendable {
    /// The app called ``AuthSession/signOut()``.
    case requested
    /// Another sign-in replaced this session.
    case replaced
    /// The stored session was deleted by another process or by hand.
    case removed
    /// The server ended the session and gave no reason.
    case unspecified
    /// The server refused the access token, and the session had no refresh token.
    case unrenewable
    /// The session or its refresh token expired.
    case expired
    /// The server revoked the session.
    case revoked
    /// The server was notified that this device signed out.
    case logout
    /// The user signed out everywhere.
    case logoutAll
    /// The user revoked this session from another device.
    case revokedByUser
    /// An operator revoked it.
    case revokedByOperator
    /// Two clients used the same refresh token: one of them stole it.
    case fork
    /// An old refresh token was used again long after its successor.
    case reuse
    /// Another client had already used this session's refresh token.
    case staleHolder
    /// The session was idle for too long.
    case idleTimeout
    /// The session reached its maximum lifetime.
    case absoluteTimeout
    /// The account was disabled.
    case userDisabled
    /// The user had too many sessions, and this one was idle the longest.
    case sessionLimit
    /// The identity provider that signed the user in, such as Apple, revoked its permission.
    case providerRevoked
    /// The server revoked the session for a reason that this version does not know, by its wire name.
    case other(String)

    /// Whether the session ended because its tokens were stolen: the app should inform the user.
    public var isTheft: Bool {
        if case .server(let reason) = source { reason.details.cause == .theft } else { false }
    }

    /// Parses the `reason` of a final response.
    ///
    /// A server cannot give the SDK's own reasons, and a string that is not a plain identifier is not shown.
    init(wire text: String?) {
        if let reason = text.flatMap(GenericEndReason.init) {
            self.init(reason)
            return
        }
        switch EndReason(stored: text) {
        case .known(let reason): self.init(reason)
        case .other(let reason):
            let isOpen = reason.text != UnknownEndReason.unnamed && Self.clientReasons[reason.text] == nil
            self = isOpen ? .other(reason.text) : .unspecified
        }
    }
}

extension SignOutReason: CustomStringConvertible {
    /// A sentence for the user.
    public var description: String {
        switch source {
        case .client(_, let sentence): sentence
        case .server(let reason): reason.details.userSentence
        case .unknown(let name): EndReason(stored: name).details.userSentence
        }
    }
}

extension SignOutReason {
    /// The declaration of a reason: the SDK's own, the server's, or an unknown one.
    enum Source {
        case client(_ name: String, sentence: String)
        case server(KnownEndReason)
        case unknown(_ name: String)
    }

    var source: Source {
        switch self {
        case .requested: .client("requested", sentence: "You signed out.")
        case .replaced: .client("replaced", sentence: "Another sign-in replaced this session.")
        case .removed: .client("removed", sentence: "The stored session was removed on this device.")
        case .unspecified: .client("unspecified", sentence: "The server ended the session.")
        case .unrenewable: .client("unrenewable", sentence: "The session expired.")
        case .expired: .client("expired", sentence: "The session expired.")
        case .revoked: .client("revoked", sentence: "The server revoked the session.")
        case .logout: .server(.logout)
        case .logoutAll: .server(.logoutAll)
        case .revokedByUser: .server(.revokedByUser)
        case .revokedByOperator: .server(.revokedByOperator)
        case .fork: .server(.fork)
        case .reuse: .server(.reuse)
        case .staleHolder: .server(.staleHolder)
        case .idleTimeout: .server(.idleTimeout)
        case .absoluteTimeout: .server(.absoluteTimeout)
        case .userDisabled: .server(.userDisabled)
        case .sessionLimit: .server(.sessionLimit)
        case .providerRevoked: .server(.providerRevoked)
        case .other(let name): .unknown(name)
        }
    }

    init(_ reason: KnownEndReason) {
        self =
            switch reason {
            case .logout: .logout
            case .logoutAll: .logoutAll
            case .revokedByUser: .revokedByUser
            case .revokedByOperator: .revokedByOperator
            case .fork: .fork
            case .reuse: .reuse
            case .staleHolder: .staleHolder
            case .idleTimeout: .idleTimeout
            case .absoluteTimeout: .absoluteTimeout
            case .userDisabled: .userDisabled
            case .sessionLimit: .sessionLimit
            case .providerRevoked: .providerRevoked
            }
    }

    init(_ reason: GenericEndReason) {
        self =
            switch reason {
            case .expired: .expired
            case .revoked: .revoked
            case .reused: .reuse
            case .disabled: .userDisabled
            case .unknown: .unspecified
            }
    }
}
