// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The times of a session's refreshes: their start, their timeouts and the delays between attempts.
///
/// Negative values count as zero, and values above ten years as ten years.
public struct RefreshPolicy: Sendable, Equatable {
    /// The time before its expiry at which an access token is refreshed; `nil` for the contract's value.
    ///
    /// Capped at half of the token's lifetime. If the contract has no value either, a token is refreshed when a fifth
    /// of its lifetime is left. Up to a quarter of this time is subtracted at random, so that many devices do not
    /// refresh at once; a time that the server states takes precedence.
    public var refreshBefore: Duration?
    /// The age below which an access token is not refreshed again; `nil` for the contract's value.
    ///
    /// If the contract has no value either, it is 2 min. Capped at half of the token's lifetime. It limits refreshes
    /// before expiry, and those caused by a resource that answers 401 every time.
    public var minimumInterval: Duration?
    /// The timeout of one request to a token endpoint; 10 s by default.
    ///
    /// A timeout of the endpoint in the contract takes precedence. A refresh uses ``callerTimeout`` instead, if it is
    /// longer and the backend may accept each refresh token only once, without a grace period: a second attempt would
    /// present a token that the first one has used up. A response that arrives after the timeout is still used.
    public var attemptTimeout: Duration
    /// The maximum time that a caller waits for a token, over all attempts; 30 s by default.
    ///
    /// Its call then throws ``SessionError/offline(retryAfter:failure:)``, while the refresh continues. If the device has
    /// no network, or TLS fails, its call throws at once.
    public var callerTimeout: Duration
    /// The delays between attempts to refresh, to deliver a sign-out and to use an unavailable store.
    public var backoff: RetryBackoff

    /// Creates a policy.
    public init(
        refreshBefore: Duration? = nil,
        minimumInterval: Duration? = nil,
        attemptTimeout: Duration = .seconds(10),
        callerTimeout: Duration = .seconds(30),
        backoff: RetryBackoff = RetryBackoff()
    ) {
        self.refreshBefore = refreshBefore
        self.minimumInterval = minimumInterval
        self.attemptTimeout = attemptTimeout
        self.callerTimeout = callerTimeout
        self.backoff = backoff
    }

    /// A copy with all times clamped to between zero and ten years, so that sums cannot overflow.
    var bounded: RefreshPolicy {
        RefreshPolicy(
            refreshBefore: refreshBefore?.bounded,
            minimumInterval: minimumInterval?.bounded,
            attemptTimeout: attemptTimeout.bounded,
            callerTimeout: callerTimeout.bounded,
            backoff: backoff
        )
    }
}
