// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import NIOConcurrencyHelpers

/// The browsers in which operators are signed in; a restart signs them out.
final class OperatorSessions: Sendable {
    /// The absolute lifetime.
    static let absolute = Duration.seconds(8 * 3600)
    /// The idle timeout.
    static let idle = Duration.seconds(30 * 60)
    /// The maximum number of sessions; beyond it, the least recently used one ends.
    static let limit = 50

    private struct Session {
        var beganAt: Timestamp
        var usedAt: Timestamp
        /// The hash of the password that opened the session; a new password ends the session.
        var credential: String
    }

    /// The sessions, by the digests of their cookie values.
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

    /// Whether a browser is signed in; the check counts as use.
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
