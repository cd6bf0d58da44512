// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// When the next refresh may begin after refreshes that failed.
///
/// It counts failures, keeps what the server asked for apart from our own back-off, and lets events that speak for a better
/// moment bring the next attempt forward.
struct RetryState: Equatable, Sendable {
    /// The least time between two attempts that events brought forward.
    static let earlyInterval = Duration.seconds(5)

    /// Why there is a pause.
    enum Cause: Equatable, Sendable {
        /// The server could not be reached, or asked for patience.
        case outage
        /// The server answered, and the answer is of no use. A better moment does not mend that.
        case answer
    }

    private(set) var cause = Cause.outage
    /// Attempts in a row that brought no token.
    private(set) var failures = 0
    /// Tokens in a row that had expired when they came.
    ///
    /// The server was reached, so these are no outage.
    private(set) var expiredTokens = 0
    /// The end of our own back-off, for refreshes that callers wait for.
    private(set) var pausedUntil = Duration.zero
    /// The time that the server named (`Retry-After`); nothing brings an attempt forward beyond it.
    private(set) var retryAfterDeadline = Duration.zero
    /// The end of the back-off of refreshes that no caller waits for.
    private(set) var backgroundPausedUntil = Duration.zero
    /// The newest attempt that an event brought forward, which may be yet to come.
    private var lastEarly: Duration?
    /// Spreads attempts that were brought forward to the time that the server named, which it may have told many clients.
    private var spread = Duration.zero

    /// Before this no attempt begins that a caller waits for.
    var nextAttempt: Duration { max(pausedUntil, retryAfterDeadline) }
    /// Before this no attempt begins that no caller waits for.
    var nextBackgroundAttempt: Duration { max(nextAttempt, backgroundPausedUntil) }

    /// Forgets failures: a good token came.
    mutating func succeed() {
        let early = lastEarly
        self = RetryState()
        lastEarly = early
    }

    /// An attempt did not reach the server, or was asked for patience.
    ///
    /// - Returns: How long the next one waits.
    mutating func fail(_ backoff: RetryBackoff, retryAfter: Duration?, now: Duration, chance: Double) -> Duration {
        cause = .outage
        failures += 1
        let delay = pause(backoff, retryAfter: retryAfter, now: now, chance: chance)
        spread = .seconds(1) * min(max(chance, 0), 1)
        if let retryAfter { retryAfterDeadline = now + backoff.honoured(retryAfter) }
        return delay
    }

    /// The server's answer was of no use.
    mutating func recordUnusableResponse(_ backoff: RetryBackoff, now: Duration, chance: Double) {
        cause = .answer
        failures += 1
        _ = pause(backoff, now: now, chance: chance)
        wait(backoff, now: now, chance: chance)
    }

    /// A token came that had expired by then.
    ///
    /// Callers who waited for it use it; the next refresh waits as after a failure.
    mutating func receiveExpiredToken(_ backoff: RetryBackoff, now: Duration, chance: Double) {
        cause = .answer
        failures = 0
        retryAfterDeadline = .zero
        expiredTokens += 1
        _ = pause(backoff, now: now, chance: chance)
        wait(backoff, now: now, chance: chance)
    }

    /// No caller waits any more: the next refresh takes its time.
    mutating func wait(_ backoff: RetryBackoff, now: Duration, chance: Double) {
        backgroundPausedUntil =
            now
            + backoff.forBackgroundRefresh.delay(afterFailures: consecutiveFailures, retryAfter: nil, chance: chance)
    }

    /// The store could not be used, so nothing was sent.
    ///
    /// Callers may try again at once.
    mutating func wait(until time: Duration) { backgroundPausedUntil = time }

    /// The user, the app or the network gives reason to believe that an attempt would succeed now.
    ///
    /// - Parameters:
    ///   - now: The time on the session's clock.
    ///   - isExplicit: Whether a refresh was asked for in so many words; that counts whatever the pause is for.
    mutating func bringForward(now: Duration, isExplicit: Bool = false) {
        guard isExplicit || cause == .outage else { return }
        let allowed = retryAfterDeadline > now ? retryAfterDeadline + spread : now
        let earliest = max(allowed, lastEarly.map { $0 + Self.earlyInterval } ?? .zero)
        guard earliest < max(pausedUntil, backgroundPausedUntil) else { return }
        lastEarly = earliest
        pausedUntil = min(pausedUntil, earliest)
        backgroundPausedUntil = min(backgroundPausedUntil, earliest)
    }

    /// The network is back: the failures before it say little.
    ///
    /// Refreshes that no caller waits for spread over a second, because the network comes back for many at once.
    mutating func networkReturned(now: Duration, chance: Double) {
        guard failures > 0 else { return }
        bringForward(now: now)
        failures = 1
        backgroundPausedUntil = max(backgroundPausedUntil, now + .seconds(1) * min(max(chance, 0), 1))
    }

    private var consecutiveFailures: Int { failures + expiredTokens }

    private mutating func pause(
        _ backoff: RetryBackoff,
        retryAfter: Duration? = nil,
        now: Duration,
        chance: Double
    ) -> Duration {
        let delay = backoff.delay(afterFailures: consecutiveFailures, retryAfter: retryAfter, chance: chance)
        pausedUntil = now + delay
        return delay
    }
}
