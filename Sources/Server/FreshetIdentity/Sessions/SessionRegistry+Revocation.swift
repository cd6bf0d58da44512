// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
import FreshetDatabase
package import FreshetEngine
package import FreshetWire
import Logging

/// How this server learns that sessions ended: from a request of its own that ended them, or from the database.
extension SessionRegistry {
    /// Tells of sessions that a request of this server has ended; after the commit.
    ///
    /// Listeners that act on an ending hear of it here unless a scan of the database was faster; what is written down about
    /// it is told here in any case, because only the request knows who ended the sessions.
    package func publishEnd(
        of ids: [SessionID],
        _ user: UUID,
        _ reason: EndReason,
        at now: Timestamp,
        by ender: ServerEvent.Initiator = .holder
    ) {
        guard !ids.isEmpty else { return }
        revoke(ended.insert(ids, at: now).map { ServerEvent.Revocation(session: $0, reason: reason, at: now) })
        events.emit(.ended(ids, of: user, reason, at: now, by: ender))
    }

    /// Tells of endings that were found in the database.
    ///
    /// - Returns: Those that are new to this server.
    @discardableResult
    func publishEnds(found: [SessionTable.Ended]) -> [SessionTable.Ended] {
        let new = ended.insert(found: found, at: clock())
        revoke(new.map { ServerEvent.Revocation(session: $0.id, reason: $0.reason, at: $0.at) })
        return new
    }

    /// Has those endings counted that were found in the database and that no request of this server made.
    package func publishUnclaimedEnds(foundBefore instant: ContinuousClock.Instant) {
        for ending in ended.takeUnclaimed(foundBefore: instant) {
            events.emit(.ended([ending.id], of: ending.user, ending.reason, at: ending.at, by: .anotherProcess))
        }
    }

    /// The one place from which sockets are closed and followers of the feed are told, once for each session.
    ///
    /// The sessions were inserted into the set of ended sessions before: a socket that is just being opened looks there
    /// after it can be found by the listeners.
    private func revoke(_ revocations: [ServerEvent.Revocation]) {
        guard !revocations.isEmpty else { return }
        events.emit(.revoked(revocations))
        for revocation in revocations {
            log.notice(
                "session ended",
                metadata: ["session": "\(revocation.session)", "reason": "\(revocation.reason.rawValue)"]
            )
        }
    }
}
