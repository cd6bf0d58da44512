// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetKit

@Suite struct `Retry state` {
    let backoff = RetryBackoff(first: .milliseconds(250), limit: .seconds(60))
    var retry = RetryState()

    /// Attempts that failed for so long that the back-off is at its limit.
    private mutating func failLong(at now: Duration = .zero, retryAfter: Duration? = nil) {
        for _ in 1...12 { _ = retry.fail(backoff, retryAfter: nil, now: now, chance: 1) }
        _ = retry.fail(backoff, retryAfter: retryAfter, now: now, chance: 1)
        retry.wait(backoff, now: now, chance: 1)
    }

    @Test mutating func `a call after an outage begins the next attempt immediately`() {
        failLong()
        #expect(retry.nextAttempt == .seconds(60) && retry.nextBackgroundAttempt == .seconds(300))
        retry.bringForward(now: .seconds(1))
        #expect(retry.nextAttempt == .seconds(1) && retry.nextBackgroundAttempt == .seconds(1))
    }

    @Test mutating func `calls while the store fails do not postpone the attempt after them`() {
        failLong()
        for second in 1...20 {
            retry.bringForward(now: .seconds(second))
            retry.wait(until: .seconds(second + 60))
        }
        failLong(at: .seconds(20))
        retry.bringForward(now: .seconds(26))
        #expect(retry.nextAttempt == .seconds(26))
    }

    @Test mutating func `attempts that are brought forward are at least five seconds apart, regardless of the cause`() {
        var attempts: [Duration] = []
        for tenth in 0..<600 {
            let now = Duration.milliseconds(100) * tenth
            switch tenth % 3 {
            case 0: retry.bringForward(now: now)
            case 1: retry.networkReturned(now: now, chance: 0)
            default: retry.bringForward(now: now, isExplicit: true)
            }
            guard retry.nextAttempt <= now, attempts.last != now else { continue }
            attempts.append(now)
            failLong(at: now)
        }
        let gaps = zip(attempts.dropFirst(), attempts).map { $0 - $1 }
        // The first one was not brought forward, since nothing had failed.
        #expect(gaps.dropFirst().allSatisfy { $0 >= .seconds(5) }, "\(gaps)")
        #expect(attempts.count == 13, "no pause is longer")
    }

    @Test
    mutating func `a call within five seconds of an attempt schedules the next attempt at the end of that interval`() {
        failLong()
        retry.bringForward(now: .seconds(1))
        failLong(at: .seconds(1))
        retry.bringForward(now: .seconds(2))
        #expect(retry.nextAttempt == .seconds(6))
    }

    @Test mutating func `no attempt begins before the Retry-After time, and a call makes it begin soon after`() {
        failLong(retryAfter: .seconds(3))
        #expect(retry.nextAttempt == .seconds(63), "jitter on top, because no caller waits")
        retry.bringForward(now: .zero)
        #expect(retry.nextAttempt == .seconds(4), "three seconds, and one to spread over")
        retry = RetryState()
        failLong(retryAfter: .seconds(40))
        retry.bringForward(now: .seconds(5), isExplicit: true)
        retry.networkReturned(now: .seconds(6), chance: 0)
        #expect(retry.nextAttempt >= .seconds(40))
        retry.bringForward(now: .seconds(41))
        #expect(retry.nextAttempt <= .seconds(46))
    }

    @Test mutating func `a Retry-After of one day is limited to five minutes`() {
        _ = retry.fail(backoff, retryAfter: .seconds(86_400), now: .zero, chance: 0)
        #expect(retry.nextAttempt == .seconds(300))
    }

    @Test mutating func `an unusable response is not retried before its back-off, except by an explicit refresh`() {
        for _ in 1...12 { retry.recordUnusableResponse(backoff, now: .zero, chance: 1) }
        retry.bringForward(now: .seconds(1))
        retry.networkReturned(now: .seconds(1), chance: 0)
        #expect(retry.nextAttempt == .seconds(60))
        retry.bringForward(now: .seconds(1), isExplicit: true)
        #expect(retry.nextAttempt == .seconds(1), "unless a refresh was asked for in so many words")
    }

    @Test mutating func `access tokens that arrive expired are refreshed at a limited rate, with or without callers`() {
        var refreshes = 0, unattended = 0
        for tenth in 0..<600 where retry.nextAttempt <= .milliseconds(100) * tenth {
            refreshes += 1
            retry.bringForward(now: .milliseconds(100) * tenth)
            retry.receiveExpiredToken(backoff, now: .milliseconds(100) * tenth, chance: 1)
        }
        #expect(refreshes <= 9, "\(refreshes) in a minute in which callers ask all the time")
        retry = RetryState()
        for tenth in 0..<300 where retry.nextBackgroundAttempt <= .milliseconds(100) * tenth {
            unattended += 1
            retry.receiveExpiredToken(backoff, now: .milliseconds(100) * tenth, chance: 1)
        }
        #expect(unattended <= 8, "\(unattended) in thirty seconds without a caller")
        #expect(retry.failures == 0, "the server was reached")
        retry.succeed()
        #expect(retry.nextBackgroundAttempt == .zero)
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.min), .zero, .seconds(-1)])
    mutating func `extreme retry times leave the next attempt within the valid range`(time: Duration) {
        let backoff = RetryBackoff(first: time, limit: time, longestRetryAfter: time)
        for chance in [-1, 0, 1, 2, Double.infinity] {
            _ = retry.fail(backoff, retryAfter: time, now: .seconds(1), chance: chance)
            retry.wait(backoff, now: .seconds(1), chance: chance)
            retry.recordUnusableResponse(backoff, now: .seconds(1), chance: chance)
            retry.networkReturned(now: .seconds(1), chance: chance)
            retry.bringForward(now: .seconds(1))
        }
        #expect(retry.nextBackgroundAttempt >= .zero)
        #expect(retry.nextBackgroundAttempt <= Duration.longest * 3)
    }
}
