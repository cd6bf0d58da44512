// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The reason that a session ended.
///
/// A final response contains it as `reason`, and apps show it to the user. ``KnownEndReason`` declares the reasons of
/// this version, with their texts.
///
/// A newer server on the same database may store a reason that this version does not know. The session has ended
/// nevertheless, so no initializer of this type fails.
package enum EndReason: Hashable, Sendable {
    case known(KnownEndReason)
    case other(UnknownEndReason)

    /// Creates a reason from a stored or sent text, which may come from another version; `nil` if it was not a text.
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

    /// The value of a metric's label; unknown reasons share one.
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
