// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire
import NIOConcurrencyHelpers

/// How often a refresh token may be presented, before anything is looked up.
///
/// A session's budget is counted with the network that asks: an attacker who knows a session's id, and has no token of it,
/// cannot use up its owner's. IPv6 is counted by /64, because one subscriber has all addresses of it.
final class RefreshLimits: Sendable {
    private let sessions: NIOLockedValueBox<BudgetTable>
    private let sources: NIOLockedValueBox<BudgetTable>
    private let load: ServerLoad

    init(_ limits: LoadLimits, load: ServerLoad) {
        sessions = NIOLockedValueBox(BudgetTable(limits.sessionBudget))
        sources = NIOLockedValueBox(BudgetTable(limits.sourceBudget))
        self.load = load
    }

    /// - Throws: `tooManyRequests` with the time to wait, a second at most for a session.
    func take(_ session: SessionID, from source: SourceAddress?, now: Timestamp) throws(APIError) {
        let network = source.map { SourceNetwork($0) }
        if let source, let network, load.isLimited(source),
            let wait = sources.withLockedValue({ $0.take(network, now: now) })
        {
            throw APIError(.tooManyRequests, "too many refreshes from this address", retryAfter: wait)
        }
        let key = Key(session: session, source: network)
        if let wait = sessions.withLockedValue({ $0.take(key, now: now) }) {
            throw APIError(.tooManyRequests, "too many refreshes of this session", retryAfter: wait)
        }
    }

    private struct Key: Hashable {
        var session: SessionID
        var source: SourceNetwork?
    }
}
