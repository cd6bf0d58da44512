// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import NIOConcurrencyHelpers

/// Which browsers operators are signed in with; a restart forgets them.
final class OperatorSessions: Sendable {
    /// However much it is used.
    static let absolute = Duration.seconds(8 * 3600)
    /// Unused.
    static let idle = Duration.seconds(30 * 60)
    /// More than this, and the one that was unused for longest ends.
    static let limit = 50

    private struct Session {
        var beganAt: Timestamp
        var usedAt: Timestamp
        /// The hash of the password that opened it: another password ends it.
        var credential: String
    }

    /// By the digest of what their cookies hold.
    private let sessions = NIOLockedValueBox<[Data: Session]>([:])

    func open(_ digest: Data, credential: String, at now: Timestamp) {
        sessions.withLockedValue { sessions in
            sessions = sessions.filter { Self.lives($0.value, at: now) }
            if sessions.count >= Self.limit, let oldest = sessions.min(by: { $0.value.usedAt < $1.value.usedAt }) {
                sessions[oldest.key] = nil
            }
            sessions[digest] = Session(beganAt: now, usedAt: now, credential: credential)
        }
    }

    /// Whether a browser is signed in; that it asks counts as use.
    func use(_ digest: Data, credential: String?, at now: Timestamp) -> Bool {
        sessions.withLockedValue { sessions in
            guard let session = sessions[digest] else { return false }
            guard Self.lives(session, at: now), session.credential == credential else {
                sessions[digest] = nil
                return false
            }
            sessions[digest]?.usedAt = max(session.usedAt, now)
            return true
        }
    }

    func close(_ digest: Data) { sessions.withLockedValue { $0[digest] = nil } }

    private static func lives(_ session: Session, at now: Timestamp) -> Bool {
        now - session.beganAt < absolute && now - session.usedAt < idle
    }
}
