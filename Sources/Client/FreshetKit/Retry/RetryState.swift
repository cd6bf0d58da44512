// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The time of the next refresh after failed refreshes.
///
/// It counts failures, stores the server's `Retry-After` separately from the client's back-off, and allows an earlier
/// attempt after an event that makes success more likely.
struct RetryState: Equatable, Sendable {
    /// The minimum interval between two attempts that events brought forward.
    static let earlyInterval = Duration.seconds(5)

    /// The reason for a pause.
    enum Cause: Equatable, Sendable {
        /// The server could not be reached, or sent `Retry-After`.
        case outage
        /// The server's response was unusable. A network event does not help.
        case answer
    }

    private(set) var cause = Cause.outage
    /// The reason that the latest failed attempt got no response; `nil` with a response.
    private(set) var connectionFailure: SessionError.ConnectionFailure?
    /// Consecutive attempts that returned no token.
    private(set) var failures = 0
    /// Consecutive tokens that had expired on arrival.
    ///
    /// The server was reached, so they are not an outage.
    private(set) var expiredTokens = 0
    /// The end of the back-off of refreshes for which callers wait.
    private(set) var pausedUntil = Duration.zero
    /// The end of the server's `Retry-After`; no attempt is brought forward to a time before it.
    private(set) var retryAfterDeadline = Duration.zero
    /// The end of the back-off of background refreshes.
    private(set) var backgroundPausedUntil = Duration.zero
    /// The time of the latest attempt that an event brought forward; it may be in the future.
    private var lastEarly: Duration?
    /// The jitter of attempts at the end of `Retry-After`, which the server may have sent to many clients.
    private var spread = Duration.zero

    /// The earliest time of an attempt that a caller waits for.
    var nextAttempt: Duration { max(pausedUntil, retryAfterDeadline) }
    /// The earliest time of a background attempt.
    var nextBackgroundAttempt: Duration { max(nextAttempt, backgroundPausedUntil) }

    /// Clears the failures after a valid token.
    mutating func succeed() {
        let early = lastEarly
        self = RetryState()
        lastEarly = early
    }

    /// Records an attempt that did not reach the server, or got a `Retry-After`.
    ///
    /// - Returns: The delay before the next one.
    mutating func fail(
        _ backoff: RetryBackoff,
        retryAfter: Duration?,
        connectionFailure: SessionError.ConnectionFailure? = nil,
        now: Duration,
        chance: Double
    ) -> Duration {
        cause = .outage
        self.connectionFailure = connectionFailure
        failures += 1
        let delay = pause(backoff, retryAfter: retryAfter, now: now, chance: chance)
        spread = .seconds(1) * min(max(chance, 0), 1)
        if let retryAfter { retryAfterDeadline = now + backoff.honoured(retryAfter) }
        return delay
    }

    /// Records an unusable response.
    mutating func recordUnusableResponse(_ backoff: RetryBackoff, now: Duration, chance: Double) {
        cause = .answer
        connectionFailure = nil
        failures += 1
        _ = pause(backoff, now: now, chance: chance)
        wait(backoff, now: now, chance: chance)
    }

    /// Records a token that had expired on arrival.
    ///
    /// Callers that waited for it use it; the next refresh waits as after a failure.
    mutating func receiveExpiredToken(_ backoff: RetryBackoff, now: Duration, chance: Double) {
        cause = .answer
        connectionFailure = nil
        failures = 0
        retryAfterDeadline = .zero
        expiredTokens += 1
        _ = pause(backoff, now: now, chance: chance)
        wait(backoff, now: now, chance: chance)
    }

    /// Starts the background back-off, because no caller waits any longer.
    mutating func wait(_ backoff: RetryBackoff, now: Duration, chance: Double) {
        backgroundPausedUntil =
            now
            + backoff.forBackgroundRefresh.delay(afterFailures: consecutiveFailures, retryAfter: nil, chance: chance)
    }

    /// Records that the store failed, so that nothing was sent.
    ///
    /// Callers may retry at once.
    mutating func wait(until time: Duration) { backgroundPausedUntil = time }

    /// Brings the next attempt forward, because the user, the app or the network makes success likely.
    ///
    /// - Parameters:
    ///   - now: The time on the session's clock.
    ///   - isExplicit: Whether the app called `refresh()`; this ends a pause regardless of its cause.
    mutating func bringForward(now: Duration, isExplicit: Bool = false) {
        guard isExplicit || cause == .outage else { return }
        let allowed = retryAfterDeadline > now ? retryAfterDeadline + spread : now
        // Events before an attempt that was brought forward do not postpone it.
        let earliest = max(allowed, lastEarly.map { $0 > now ? $0 : $0 + Self.earlyInterval } ?? .zero)
        guard earliest < max(pausedUntil, backgroundPausedUntil) else { return }
        lastEarly = earliest
        pausedUntil = min(pausedUntil, earliest)
        backgroundPausedUntil = min(backgroundPausedUntil, earliest)
    }

    /// Resets the failures, because they occurred on the network that was lost.
    ///
    /// Background refreshes are spread over a second, because the network comes back for many clients at once.
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
