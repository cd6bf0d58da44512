// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetDatabase
import FreshetEngine
import FreshetWire
import NIOConcurrencyHelpers

/// The networks from which OAuth clients authenticated.
///
/// A client's attempts from these networks have limits of their own, so that failed attempts from other networks cannot
/// use them up.
package final class ClientNetworks: Sendable {
    private struct Pair: Hashable {
        var client: String
        var network: SourceNetwork
    }

    /// The minimum interval between two writes of a pair.
    private static let writeInterval = Duration.seconds(86_400)
    /// The maximum number of cached pairs; others are looked up in the database each time.
    private static let maximumCached = 10_000

    private let database: any ServerDatabase
    /// The time at which each pair was last written.
    private let cache = NIOLockedValueBox<[Pair: Timestamp]>([:])

    package init(_ database: any ServerDatabase) { self.database = database }

    func contains(_ client: String?, _ network: SourceNetwork?, at now: Timestamp) async throws -> Bool {
        guard let client, let network else { return false }
        if isCached(Pair(client: client, network: network), at: now) { return true }
        let oldest = now + (.zero - KnownNetworkTable.lifetime)
        return try await database.read {
            try KnownNetworkTable.clients.has(network.description, of: client, since: oldest, in: $0)
        }
    }

    /// Records that a client authenticated, once a day for each network.
    func insert(_ client: String, _ network: SourceNetwork?, at now: Timestamp) async {
        guard let network, !isCached(Pair(client: client, network: network), at: now) else { return }
        // A lost write costs a lookup at the next authentication; no request waits for a retry.
        let isWritten: Void? = try? await database.backgroundWrite {
            try KnownNetworkTable.clients.insert(network.description, of: client, at: now, in: $0)
        }
        guard isWritten != nil else { return }
        cache.withLockedValue { cache in
            if cache.count >= Self.maximumCached { cache.removeAll() }
            cache[Pair(client: client, network: network)] = now
        }
    }

    private func isCached(_ pair: Pair, at now: Timestamp) -> Bool {
        cache.withLockedValue { $0[pair].map { now - $0 < Self.writeInterval } ?? false }
    }
}
