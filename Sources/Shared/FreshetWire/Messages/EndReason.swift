// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Why a session ended.
///
/// It travels as `reason` beside a final answer, and the user is told. ``KnownEndReason`` declares the reasons of this
/// version with all that is said about them.
///
/// The set is open: a newer server on the same database may store a reason that this version does not know. The session
/// has ended all the same. No initializer of this type fails, so a stored ending cannot be lost for its reason.
package enum EndReason: Hashable, Sendable {
    case known(KnownEndReason)
    case other(UnknownEndReason)

    /// Reads a reason as another server may have stored or sent it; `nil` stands for one of another type than text.
    package init(stored text: String?) {
        self = text.flatMap(KnownEndReason.init).map(EndReason.known) ?? .other(UnknownEndReason(text))
    }

    /// The text that is stored and sent, always a plain identifier.
    package var rawValue: String {
        switch self {
        case .known(let reason): reason.rawValue
        case .other(let reason): reason.text
        }
    }

    /// The text for a metric's label: reasons that this version does not know share one.
    package var label: String {
        switch self {
        case .known(let reason): reason.rawValue
        case .other: UnknownEndReason.unnamed
        }
    }

    /// The kind of event that ended the session, and the texts about it.
    package var details: EndReasonDetails {
        switch self {
        case .known(let reason): reason.details
        case .other(let reason): EndReasonDetails(unknown: reason)
        }
    }

    /// Whether the session ended because another party held its tokens.
    package var isTheft: Bool { details.cause == .theft }

    /// Whether the session ended without a request of its user.
    package var isForced: Bool { details.cause != .device && details.cause != .user }
}

extension EndReason: CaseIterable {
    /// The reasons that this version knows.
    package static let allCases = KnownEndReason.allCases.map(EndReason.known)
}
