// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetDatabase
package import FreshetEngine
package import FreshetWire
import NIOConcurrencyHelpers

/// The ended sessions whose access tokens may not have expired yet.
///
/// This server's own resources refuse such tokens at once, without a query.
///
/// Every ended session is inserted here first, and the insertion returns whether it is new, so that only one of several
/// tasks that find the same session notifies the listeners. A session that ended at another time than the known one has
/// ended again, after the database lost its first end: followers of the feed that read the database in between know
/// neither.
///
/// Eviction is by generations. Each scan of the database that finds a session inserts it into the younger generation,
/// and ``evictUnseen()`` drops the older one after a scan of the whole window: a session that a scan can still find is
/// never evicted, so no session is reported as new twice, even if the clocks of several servers differ. All operations
/// take constant time per session.
package final class RevokedSessionCache: Sendable {
    /// The maximum age of an access token.
    ///
    /// Sessions that ended longer ago are evicted, so older tokens must not be accepted, regardless of the lifetime
    /// with which they were issued.
    let maximumTokenLifetime: Duration
    /// The maximum number of sessions in one generation.
    let capacity: Int
    /// The time for which the end of a session is relevant.
    var window: Duration { Self.window(ofTokens: maximumTokenLifetime) }

    private struct End {
        var reason: EndReason
        /// The time of the end in the database.
        var at: Timestamp
    }

    private struct State {
        var young: [SessionID: End] = [:]
        var old: [SessionID: End] = [:]
        /// Ended sessions that a scan found and no request of this server has claimed yet.
        var unclaimed: [SessionID: (ending: SessionTable.Ended, since: ContinuousClock.Instant)] = [:]
        var acceptsTokensSince = Timestamp(milliseconds: .min)

        func end(of id: SessionID) -> End? { young[id] ?? old[id] }
        func contains(_ id: SessionID) -> Bool { end(of: id) != nil }
    }

    private let state: NIOLockedValueBox<State>

    /// Creates a cache of the sessions that ended recently.
    ///
    /// - Parameters:
    ///   - maximumTokenLifetime: The time for which ended sessions are kept.
    ///   - known: Sessions that ended within that time.
    ///   - now: The current time.
    ///   - capacity: The maximum number of sessions in each of the two generations.
    package init(
        maximumTokenLifetime: Duration,
        _ known: [SessionTable.Ended] = [],
        at now: Timestamp = .system(),
        capacity: Int = 500_000
    ) {
        self.maximumTokenLifetime = maximumTokenLifetime
        self.capacity = capacity
        state = NIOLockedValueBox(State())
        for ending in known { state.withLockedValue { _ = insert(ending, at: now, &$0) } }
    }

    /// Returns the time after which the access tokens of an ended session have expired, on each of several servers.
    ///
    /// - Parameter maximumLifetime: The maximum age of an access token.
    /// - Returns: The time after the end of the session, with what the clocks of two servers may differ by.
    static func window(ofTokens maximumLifetime: Duration) -> Duration { maximumLifetime + ClockTrust.tolerance * 2 }

    package var count: Int { state.withLockedValue { $0.young.count + $0.old.count } }

    package func contains(_ id: SessionID) -> Bool { state.withLockedValue { $0.contains(id) } }

    /// Returns the reason for which a session ended; `nil` if its end is not known here.
    package func reason(of id: SessionID) -> EndReason? { state.withLockedValue { $0.end(of: id)?.reason } }

    /// Access tokens issued before this time are refused; set when sessions had to be evicted early.
    var acceptsTokensSince: Timestamp { state.withLockedValue { $0.acceptsTokensSince } }

    /// Whether an access token is recent enough and its session is not known to have ended.
    package func accepts(_ claims: AccessClaims, at now: Timestamp) -> Bool {
        // A token whose issue time is in the future, because of a wrong clock, would be valid for that much longer.
        guard now - claims.issuedAt <= maximumTokenLifetime, claims.issuedAt - now <= ClockTrust.tolerance else {
            return false
        }
        return state.withLockedValue { state in
            claims.issuedAt >= state.acceptsTokensSince && !state.contains(claims.session)
        }
    }

    /// Inserts sessions that this server has ended.
    ///
    /// - Parameters:
    ///   - ids: The sessions.
    ///   - reason: The reason of their end.
    ///   - moment: The time of their end in the database.
    /// - Returns: The sessions whose end was not known before.
    func insert(_ ids: [SessionID], _ reason: EndReason, at moment: Timestamp) -> [SessionID] {
        state.withLockedValue { state in
            for id in ids { state.unclaimed[id] = nil }
            return ids.filter { insert($0, End(reason: reason, at: moment), at: moment, &state) }
        }
    }

    /// Inserts ended sessions that a scan found in the database.
    ///
    /// - Returns: The sessions whose end was not known before.
    func insert(found endings: [SessionTable.Ended], at now: Timestamp) -> [SessionTable.Ended] {
        let since = ContinuousClock.now
        return state.withLockedValue { state in
            endings.filter { ending in
                let isNew = insert(ending, at: now, &state)
                if isNew { state.unclaimed[ending.id] = (ending, since) }
                return isNew
            }
        }
    }

    /// Removes and returns the unclaimed sessions found before a time: another process ended them.
    func takeUnclaimed(foundBefore instant: ContinuousClock.Instant) -> [SessionTable.Ended] {
        state.withLockedValue { state in
            guard !state.unclaimed.isEmpty else { return [] }
            let taken = state.unclaimed.values.filter { $0.since <= instant }.map(\.ending)
            for ending in taken { state.unclaimed[ending.id] = nil }
            return taken
        }
    }

    /// Drops the sessions that were neither inserted nor found since the previous call.
    func evictUnseen() {
        // The dropped set is deallocated outside the lock.
        _ = state.withLockedValue { state in
            let dropped = state.old
            state.old = state.young
            state.young = [:]
            return dropped
        }
    }

    private func insert(_ ending: SessionTable.Ended, at now: Timestamp, _ state: inout State) -> Bool {
        insert(ending.id, End(reason: ending.reason, at: ending.at), at: now, &state)
    }

    private func insert(_ id: SessionID, _ end: End, at now: Timestamp, _ state: inout State) -> Bool {
        let isNew = state.end(of: id)?.at != end.at
        guard state.young.updateValue(end, forKey: id) == nil else { return isNew }
        state.old[id] = nil
        if state.young.count > capacity {
            // Tokens of an evicted session must not be accepted. Their clients refresh, and the database decides about
            // the session. The issue times of tokens are in whole seconds.
            if !state.old.isEmpty {
                let second = Timestamp(milliseconds: now.milliseconds / 1000 * 1000)
                // The ends that a request found are dated by the database.
                state.acceptsTokensSince = max(state.acceptsTokensSince, second)
            }
            state.old = state.young
            state.young = [:]
        }
        return isNew
    }
}
