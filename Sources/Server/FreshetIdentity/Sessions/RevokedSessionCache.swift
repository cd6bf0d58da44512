// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetDatabase
package import FreshetEngine
package import FreshetWire
import NIOConcurrencyHelpers

/// The sessions that ended while access tokens of theirs may still be out, so that this server's own resources refuse
/// those at once and without a query.
///
/// Every ending that this server learns of is inserted here first, and the insertion says whether it is new: of several
/// tasks that learn of one ending, one tells the listeners.
///
/// A session is forgotten by generations. It is put into the younger one whenever a scan of the database finds it, and the
/// older one is dropped by ``evictUnseen()`` after a scan of the whole window: what any scan can still find is never
/// forgotten, so nothing is new twice, whatever the clocks of several servers say. All operations take constant time per
/// session.
package final class RevokedSessionCache: Sendable {
    /// The greatest age of an access token: sessions that ended longer ago are forgotten, so that older tokens must not be
    /// accepted, whatever lifetime they were issued with.
    package let maximumTokenLifetime: Duration
    /// More sessions than this are not kept in one generation.
    package let capacity: Int

    private struct State {
        var young: Set<SessionID>
        var old: Set<SessionID> = []
        /// Endings that a scan found and that no request of this server has claimed yet.
        var unclaimed: [SessionID: (ending: SessionTable.Ended, since: ContinuousClock.Instant)] = [:]
        var acceptsTokensSince = Timestamp(milliseconds: .min)

        func contains(_ id: SessionID) -> Bool { young.contains(id) || old.contains(id) }
    }

    private let state: NIOLockedValueBox<State>

    /// - Parameters:
    ///   - maximumTokenLifetime: How long ended sessions are remembered.
    ///   - known: Sessions that ended within that time.
    ///   - now: The current time.
    ///   - capacity: How many sessions each of the two generations may hold.
    package init(
        maximumTokenLifetime: Duration,
        _ known: [SessionID] = [],
        at now: Timestamp = .system(),
        capacity: Int = 500_000
    ) {
        self.maximumTokenLifetime = maximumTokenLifetime
        self.capacity = capacity
        state = NIOLockedValueBox(State(young: []))
        for id in known { state.withLockedValue { _ = insert(id, at: now, &$0) } }
    }

    package var count: Int { state.withLockedValue { $0.young.count + $0.old.count } }

    package func contains(_ id: SessionID) -> Bool { state.withLockedValue { $0.contains(id) } }

    /// Access tokens that were issued before this are refused; set once endings had to be evicted.
    var acceptsTokensSince: Timestamp { state.withLockedValue { $0.acceptsTokensSince } }

    /// Whether an access token may be accepted, as far as endings go.
    package func accepts(_ claims: AccessClaims, at now: Timestamp) -> Bool {
        // One that a wrong clock dated in the future would be good for that much longer.
        guard now - claims.issuedAt <= maximumTokenLifetime, claims.issuedAt - now <= ClockTrust.tolerance else {
            return false
        }
        return state.withLockedValue { state in
            claims.issuedAt >= state.acceptsTokensSince && !state.contains(claims.session)
        }
    }

    /// Takes in sessions that this server has ended itself.
    ///
    /// - Returns: Those that were not known before.
    package func insert(_ ids: [SessionID], at now: Timestamp) -> [SessionID] {
        state.withLockedValue { state in
            for id in ids { state.unclaimed[id] = nil }
            return ids.filter { insert($0, at: now, &state) }
        }
    }

    /// Inserts endings that a scan found in the database.
    ///
    /// - Returns: Those that were not known before.
    package func insert(found endings: [SessionTable.Ended], at now: Timestamp) -> [SessionTable.Ended] {
        let since = ContinuousClock.now
        return state.withLockedValue { state in
            endings.filter { ending in
                let isNew = insert(ending.id, at: now, &state)
                if isNew { state.unclaimed[ending.id] = (ending, since) }
                return isNew
            }
        }
    }

    /// Hands out the found endings that no request of this server has claimed: another process made them.
    func takeUnclaimed(foundBefore instant: ContinuousClock.Instant) -> [SessionTable.Ended] {
        state.withLockedValue { state in
            guard !state.unclaimed.isEmpty else { return [] }
            let taken = state.unclaimed.values.filter { $0.since <= instant }.map(\.ending)
            for ending in taken { state.unclaimed[ending.id] = nil }
            return taken
        }
    }

    /// Drops what was neither inserted nor found since the call before the last one.
    func evictUnseen() {
        // It is freed outside the lock.
        _ = state.withLockedValue { state in
            let dropped = state.old
            state.old = state.young
            state.young = []
            return dropped
        }
    }

    private func insert(_ id: SessionID, at now: Timestamp, _ state: inout State) -> Bool {
        let isNew = !state.contains(id)
        guard state.young.insert(id).inserted else { return false }
        state.old.remove(id)
        if state.young.count > capacity {
            // An evicted session must not be served: clients with older tokens refresh, and the row decides.
            // Tokens are dated in whole seconds.
            if !state.old.isEmpty { state.acceptsTokensSince = Timestamp(milliseconds: now.milliseconds / 1000 * 1000) }
            state.old = state.young
            state.young = []
        }
        return isNew
    }
}
