// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
import FreshetDatabase
package import FreshetEngine
package import FreshetWire
import Logging

/// Publication of ended sessions, whether a request of this server ended them or a scan found them.
extension SessionRegistry {
    /// Publishes sessions that a request of this server has ended, after the commit.
    ///
    /// Listeners that act on the end of a session are notified here unless a scan of the database was faster. Metrics
    /// and audit trail are notified here in any case, because only the request knows the initiator.
    ///
    /// - Parameters:
    ///   - ids: The sessions.
    ///   - user: Their user.
    ///   - reason: The reason of their end.
    ///   - now: The time of their end in the database: another one is another end.
    ///   - ender: The initiator.
    package func publishEnd(
        of ids: [SessionID],
        _ user: UUID,
        _ reason: EndReason,
        at now: Timestamp,
        by ender: ServerEvent.Initiator = .holder
    ) {
        guard !ids.isEmpty else { return }
        revoke(ended.insert(ids, reason, at: now).map { ServerEvent.Revocation(session: $0, reason: reason, at: now) })
        events.emit(.ended(ids, of: user, reason, at: now, by: ender))
        observer?(.ended(ids, reason, at: now))
    }

    /// Publishes ended sessions that were found in the database.
    ///
    /// - Returns: The sessions that are new to this server.
    @discardableResult
    func publishEnds(found: [SessionTable.Ended]) -> [SessionTable.Ended] {
        let new = ended.insert(found: found, at: clock())
        revoke(new.map { ServerEvent.Revocation(session: $0.id, reason: $0.reason, at: $0.at) })
        return new
    }

    /// Publishes an end that a request has found, unless all access tokens of the session have expired.
    ///
    /// The request that committed it may not have published it yet, or never will, as after a lost connection. A response
    /// that depends on the end must not precede the refusal of the session's access tokens.
    func publishFoundEnd(of row: SessionRow?) {
        guard let row, let end = row.ending,
            end.at >= max(clock() + (.zero - ended.window), ended.acceptsTokensSince)
        else { return }
        publishEnds(found: [SessionTable.Ended(id: row.id, user: row.user, at: end.at, reason: end.reason)])
    }

    /// Emits the events of ended sessions that no request of this server has claimed.
    func publishUnclaimedEnds(foundBefore instant: ContinuousClock.Instant) {
        for ending in ended.takeUnclaimed(foundBefore: instant) {
            events.emit(.ended([ending.id], of: ending.user, ending.reason, at: ending.at, by: .anotherProcess))
        }
    }

    /// Notifies the listeners that close sockets and feed followers, once per session.
    ///
    /// The sessions have been inserted into ``RevokedSessionCache`` before: a socket that is being opened checks the
    /// cache after the listeners can find it.
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
