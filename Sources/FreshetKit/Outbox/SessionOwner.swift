// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// On whose behalf something is sent.
enum SessionOwner: Hashable, Sendable {
    /// A user, through any of his sessions.
    case user(String)
    /// One session, where the backend does not tell whose it is.
    case session(String)

    /// Whoever is signed in.
    init?(_ status: SessionStatus) {
        guard let session = status.sessionID else { return nil }
        self = status.userID.map(Self.user) ?? .session(session)
    }

    /// Whether this is who the session belongs to.
    func isSignedIn(by status: SessionStatus) -> Bool {
        switch self {
        case .user(let id): status.userID == id
        case .session(let id): status.sessionID == id
        }
    }

    /// The name of a folder for what belongs to the owner alone; users of two backends may be called the same.
    func folder(at origin: String) -> String {
        switch self {
        case .user(let id): FileName.escaped("user \(id) at \(origin)")
        case .session(let id): FileName.escaped("session \(id) at \(origin)")
        }
    }

    /// Whether a name is one that ``folder(at:)`` gives.
    static func isFolder(_ name: String) -> Bool {
        guard let text = FileName.unescaped(name) else { return false }
        return text.hasPrefix("user ") || text.hasPrefix("session ")
    }
}
