// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
import FreshetContract
package import FreshetEngine
package import FreshetVerification

/// Keeps the keys behind an address: one fetch at a time, seldom, and old keys rather than none.
///
/// The actor guards the keys; it never waits inside for more than the one fetch.
package actor AppleKeyCache {
    /// How long keys are used before they are fetched again.
    package static let lifetime = Duration.seconds(3600)
    /// A key id that is not among them leads to one fetch in this time at most: anybody can make one up.
    package static let pause = Duration.seconds(60)
    /// The same after a fetch that failed, as long as there are no keys at all.
    static let pauseWithoutKeys = Duration.seconds(5)

    struct NoKeys: Error {}

    private let fetch: @Sendable () async throws -> Data
    private let clock: @Sendable () -> Timestamp
    private var known: JWKSet?
    private var fetchedAt: Timestamp?
    private var triedAt: Timestamp?
    private var underWay: Task<JWKSet, any Error>?

    package init(fetch: @escaping @Sendable () async throws -> Data, clock: @escaping @Sendable () -> Timestamp) {
        self.fetch = fetch
        self.clock = clock
    }

    /// The keys, as fresh as they need be for a statement that names `id`.
    package func keys(knowing id: String?) async throws -> JWKSet {
        let now = clock()
        if let known {
            let isFresh = fetchedAt.map { now - $0 < Self.lifetime } ?? false
            let isKnown = id.map { known[$0] != nil } ?? true
            if isFresh && isKnown { return known }
            if let triedAt, now - triedAt < Self.pause, underWay == nil { return known }
        } else if let triedAt, now - triedAt < Self.pauseWithoutKeys, underWay == nil {
            throw NoKeys()
        }
        let task: Task<JWKSet, any Error>
        if let underWay {
            task = underWay
        } else {
            triedAt = now
            task = Task { [fetch] in try AppleJWT.keys(await fetch()) }
            underWay = task
        }
        let outcome = await task.result
        if underWay == task {
            underWay = nil
            if case .success(let keys) = outcome {
                known = keys
                fetchedAt = now
            }
        }
        // Keys that were good an hour ago are better than turning everybody away.
        if let known { return known }
        return try outcome.get()
    }
}
