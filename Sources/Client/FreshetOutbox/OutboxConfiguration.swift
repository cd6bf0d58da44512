// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import FreshetKit

/// How an outbox behaves where the defaults do not fit.
public struct OutboxConfiguration: Sendable {
    /// The header that carries an item's key, the same in every attempt; `nil` sends none.
    ///
    /// A value that the app set itself stays.
    public var idempotencyHeader: String? = "Idempotency-Key"
    /// How many lanes may have an item on its way at the same time.
    public var parallelLanes = 4
    /// How long an item waits after a failed attempt; for ever, but never faster than this allows.
    public var backoff = RetryBackoff(first: .seconds(1), limit: .seconds(300), longestRetryAfter: .seconds(3_600))
    /// What answers mean.
    public var policy = OutboxPolicy()
    /// The largest request that is taken, headers and body, in bytes.
    public var maximumItemBytes = 8 << 20
    /// How many items of an account may wait.
    public var maximumItems = 10_000
    /// How many bytes the items of an account may take up, dead letters included.
    public var maximumBytes = 64 << 20
    /// How old an item may become before it is set aside as a dead letter; `nil` for any age.
    ///
    /// The device's wall clock decides.
    public var maximumAge: Duration?
    /// How often to look, at the latest, for items that another process put down.
    public var pollInterval: Duration = .seconds(30)

    /// The defaults.
    public init() {}
}
