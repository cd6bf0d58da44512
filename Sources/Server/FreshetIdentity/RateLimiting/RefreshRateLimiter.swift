// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine
import FreshetWire
import NIOConcurrencyHelpers

/// Limits how often a refresh token may be presented, before any lookup.
///
/// The key of a session's bucket includes the network: a client in another network that knows the session's ID, but has
/// no token, cannot use up the owner's bucket.
package final class RefreshRateLimiter: Sendable {
    private let sessions: NIOLockedValueBox<SharedTokenBuckets>
    private let networks: NIOLockedValueBox<SharedTokenBuckets>
    /// Whether an address is rate-limited by its network.
    private let isLimited: @Sendable (SourceAddress) -> Bool

    package init(_ limits: AdmissionLimits, isLimited: @escaping @Sendable (SourceAddress) -> Bool) {
        sessions = NIOLockedValueBox(SharedTokenBuckets(limits.sessionRateLimit))
        networks = NIOLockedValueBox(SharedTokenBuckets(limits.sourceRateLimit))
        self.isLimited = isLimited
    }

    /// Takes a token for presenting a session's refresh token.
    ///
    /// - Throws: `tooManyRequests` with the time to wait, at most a second for a session.
    func take(_ session: SessionID, from source: SourceAddress?, now: Timestamp) throws(APIError) {
        let network = source?.network
        if let source, let network, isLimited(source),
            let wait = networks.withLockedValue({ $0.take(network, now: now) })
        {
            throw APIError(.tooManyRequests, "too many refreshes from this network", retryAfter: wait)
        }
        let key = Key(session: session, network: network)
        if let wait = sessions.withLockedValue({ $0.take(key, now: now) }) {
            throw APIError(.tooManyRequests, "too many refreshes of this session", retryAfter: wait)
        }
    }

    private struct Key: Hashable {
        var session: SessionID
        var network: SourceNetwork?
    }
}
