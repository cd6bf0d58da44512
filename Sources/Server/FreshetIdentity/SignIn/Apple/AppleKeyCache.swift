// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
import FreshetContract
package import FreshetEngine
import FreshetJWT

/// Caches the keys of a URL: one fetch at a time, rate-limited; after a failure, old keys stay in use.
///
/// The actor protects the keys; its methods suspend only for the current fetch.
package actor AppleKeyCache {
    /// The time after which keys are fetched again.
    static let lifetime = Duration.seconds(3600)
    /// The minimum interval between fetches for unknown key ids, which any client can invent.
    static let pause = Duration.seconds(60)
    /// The interval after a failed fetch while there are no keys.
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

    /// Returns the keys, fetching them first if they are too old or have none with this id.
    func keys(knowing id: String?) async throws -> JWKSet {
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
        // Keys that were valid an hour ago are used, because the alternative is to refuse all sign-ins.
        if let known { return known }
        return try outcome.get()
    }
}
