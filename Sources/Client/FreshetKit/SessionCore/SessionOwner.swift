// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetWire

/// The owner of a request.
///
/// Backends compare the IDs of users by bytes, so users whose IDs are only canonically equivalent are different owners.
package enum SessionOwner: Hashable, Sendable {
    /// A user, in any of the user's sessions.
    case user(String)
    /// One session, for a backend that does not identify its user.
    case session(String)

    /// Creates the owner of the signed-in session; `nil` if the user is signed out.
    package init?(_ status: SessionStatus) {
        guard let session = status.sessionID else { return nil }
        self = status.userID.map(Self.user) ?? .session(session)
    }

    /// Whether the signed-in session belongs to this owner.
    package func isSignedIn(by status: SessionStatus) -> Bool {
        switch self {
        case .user(let id): status.userID?.hasSameBytes(as: id) ?? false
        case .session(let id): status.sessionID?.hasSameBytes(as: id) ?? false
        }
    }

    package static func == (a: SessionOwner, b: SessionOwner) -> Bool {
        switch (a, b) {
        case (.user(let id), .user(let other)), (.session(let id), .session(let other)): id.hasSameBytes(as: other)
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .user(let id), .session(let id): hasher.combine(ExactText(id))
        }
    }

    /// Returns the name of a folder for the owner's data.
    ///
    /// It contains the backend's origin, because users of two backends may have the same ID.
    package func folder(at origin: String) -> String {
        switch self {
        case .user(let id): FileName.escaped("user \(id) at \(origin)")
        case .session(let id): FileName.escaped("session \(id) at \(origin)")
        }
    }

    /// Parses a name that ``folder(at:)`` returned.
    ///
    /// - Returns: The owner and the backend's origin; `nil` for any other name.
    package static func owner(ofFolder name: String) -> (owner: SessionOwner, origin: String)? {
        // An ID may contain any character, an origin no space.
        let parts = FileName.unescaped(name)?.unicodeScalars.split(separator: " ", omittingEmptySubsequences: false)
        guard let parts, parts.count >= 4, let last = parts.last, String(parts[parts.count - 2]) == "at" else {
            return nil
        }
        let id = parts[1...].dropLast(2).map(String.init).joined(separator: " ")
        switch String(parts[0]) {
        case "user": return (.user(id), String(last))
        case "session": return (.session(id), String(last))
        default: return nil
        }
    }
}
