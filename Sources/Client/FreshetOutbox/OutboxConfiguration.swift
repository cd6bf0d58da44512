// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import FreshetKit

/// The configuration of a ``RequestOutbox``.
public struct OutboxConfiguration: Sendable {
    /// The header field with an item's idempotency key, the same in every attempt; `nil` for none.
    ///
    /// If the app has set this field in the request, its value is kept.
    public var idempotencyHeader: String? = "Idempotency-Key"
    /// The maximum number of lanes that send at the same time.
    public var parallelLanes = 4
    /// The delays between attempts.
    ///
    /// The number of attempts is not limited.
    public var backoff = RetryBackoff(first: .seconds(1), limit: .seconds(300), longestRetryAfter: .seconds(3_600))
    /// The rules that classify responses.
    public var policy = OutboxPolicy()
    /// The maximum size of a request, headers and body, in bytes.
    public var maximumItemBytes = 8 << 20
    /// The maximum number of waiting items of an account.
    public var maximumItems = 10_000
    /// The maximum size of an account's items and dead letters, in bytes.
    public var maximumBytes = 64 << 20
    /// The maximum age of an item before it becomes a dead letter; `nil` for no maximum.
    ///
    /// Measured by the device's wall clock.
    public var maximumAge: Duration?
    /// The maximum interval between checks for items that other processes enqueued.
    public var pollInterval: Duration = .seconds(30)

    /// Creates a configuration with the default values.
    public init() {}
}
