// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The reasons for an ended session that this version knows.
///
/// This is their only declaration: metrics, contracts, the OpenAPI document and every text derive from it, and tests
/// compare `contract.schema.json` and PROTOCOL.md with it. The compiler requires a matching case of the SDK's
/// `SignOutReason`.
package enum KnownEndReason: String, CaseIterable, Sendable {
    /// This device signed out.
    case logout
    /// The user signed out everywhere.
    case logoutAll = "logout_all"
    /// The user ended this session from another one.
    case revokedByUser = "revoked_by_user"
    /// An operator ended the session.
    case revokedByOperator = "revoked_by_operator"
    /// Two clients used the same refresh token.
    case fork
    /// An old refresh token was presented long after its successor was in use (plain mode).
    case reuse
    /// A client reported that its newest refresh token had been superseded by another holder's.
    case staleHolder = "stale_holder"
    /// The session was unused for longer than the idle lifetime.
    case idleTimeout = "idle_timeout"
    /// The session was older than the absolute lifetime.
    case absoluteTimeout = "absolute_timeout"
    /// The account was disabled.
    case userDisabled = "user_disabled"
    /// The user had too many sessions, and this one was unused the longest.
    case sessionLimit = "session_limit"
    /// The service that signed the user in, such as Apple, withdrew its permission.
    case providerRevoked = "provider_revoked"

    /// The kind of event that ended the session, and the texts about it.
    package var details: EndReasonDetails { Self.allDetails[self] ?? declaration }

    private static let allDetails = Dictionary(uniqueKeysWithValues: allCases.map { ($0, $0.declaration) })

    private var declaration: EndReasonDetails {
        switch self {
        case .logout:
            EndReasonDetails(
                .device,
                forUser: "This session was signed out.",
                inHistory: "You signed out on the device itself.",
                summary: "signed out on the device",
                forOperator: "The device signed out."
            )
        case .logoutAll:
            EndReasonDetails(
                .user,
                forUser: "You signed out everywhere.",
                historyTitle: "Signed out everywhere",
                inHistory: "You did that\(.initiator, before: " from ").",
                summary: "signed out everywhere",
                forOperator: "The user signed out everywhere\(.initiator, before: " from ")."
            )
        case .revokedByUser:
            EndReasonDetails(
                .user,
                forUser: "You ended this session from another device.",
                historyTitle: "Signed out by you",
                inHistory: "\(.initiator, before: "You did that from ", after: ".")",
                summary: "ended from another device",
                forOperator: "The user ended this session from \(.initiator, else: "another one")."
            )
        case .revokedByOperator:
            EndReasonDetails(
                .operator,
                forUser: "An operator ended this session.",
                historyTitle: "Signed out by the operator",
                inHistory: "Ask them if you want to know why.",
                summary: "ended by an operator",
                forOperator: "An operator ended this session\(.operatorReason, before: ", ")."
            )
        case .fork:
            .theft(
                summary: "two holders of one token",
                forOperator: """
                    Two holders presented one refresh token\(.generation, before: " (generation ", after: ")"), so one of \
                    them had a copy. The session was ended for \
                    both.\(.sources, before: " Its tokens were recently used from ", after: ".")
                    """
            )
        case .reuse:
            .theft(
                summary: "an old token was used again",
                forOperator: """
                    A refresh token that had been replaced long before was used \
                    again\(.generation, before: " (generation ", after: ")"), so a copy of it exists. The session was \
                    ended for all holders.\(.sources, before: " Its tokens were recently used from ", after: ".")
                    """
            )
        case .staleHolder:
            .theft(
                summary: "a copy of the token was in use",
                forOperator: """
                    The device reported that another holder had refreshed with a copy of its \
                    token\(.generation, before: " (generation ", after: ")"). The session was ended for \
                    both.\(.sources, before: " Its tokens were recently used from ", after: ".")
                    """
            )
        case .idleTimeout:
            EndReasonDetails(
                .expiry,
                forUser: "The session expired because it was not used.",
                summary: "unused for too long",
                forOperator: "It was unused for \(.idleTime) and reached its idle timeout."
            )
        case .absoluteTimeout:
            EndReasonDetails(
                .expiry,
                forUser: "The session reached its maximum age.",
                summary: "reached its maximum age",
                forOperator: "It was \(.age) old and reached its absolute timeout."
            )
        case .userDisabled:
            EndReasonDetails(
                .account,
                forUser: "The account was disabled.",
                summary: "account disabled",
                forOperator: "An operator disabled the account."
            )
        case .sessionLimit:
            EndReasonDetails(
                .limit,
                forUser: "You signed in on too many devices, and this one was unused for longest.",
                summary: "too many sessions",
                forOperator: "The user signed in once more than is allowed, and this session was unused for longest."
            )
        case .providerRevoked:
            EndReasonDetails(
                .provider,
                forUser: "The service that you signed in with withdrew its permission.",
                summary: "sign-in service withdrew its permission",
                forOperator: "The service that had signed the user in, such as Apple, withdrew its permission."
            )
        }
    }
}

// The reasons under the short names that code uses to end a session or to compare them.
extension EndReason {
    package static let logout = EndReason.known(.logout)
    package static let logoutAll = EndReason.known(.logoutAll)
    package static let revokedByUser = EndReason.known(.revokedByUser)
    package static let revokedByOperator = EndReason.known(.revokedByOperator)
    package static let fork = EndReason.known(.fork)
    package static let reuse = EndReason.known(.reuse)
    package static let staleHolder = EndReason.known(.staleHolder)
    package static let idleTimeout = EndReason.known(.idleTimeout)
    package static let absoluteTimeout = EndReason.known(.absoluteTimeout)
    package static let userDisabled = EndReason.known(.userDisabled)
    package static let sessionLimit = EndReason.known(.sessionLimit)
    package static let providerRevoked = EndReason.known(.providerRevoked)
}
