// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetKit
import SeededRandom

extension FleetSimulation {
    /// The result of an attempt that returned no token.
    private enum Fault {
        /// Another attempt may succeed.
        case transient(retryAfter: Duration?)
        /// The response cannot be interpreted, so that waiting callers fail at once.
        case misunderstood
    }

    /// Sends a refresh, for a waiting caller or before the token expires.
    mutating func attempt(_ index: Int, at time: Int) {
        if devices[index].event == .timer { devices[index].flags.subtract([.isRefused, .isWaiting]) }
        switch answer(at: time) {
        case .granted(let end) where end - time <= attemptTimeout:
            figures.count(.granted, at: time)
            take(index, askedAt: time, at: end)
        case .granted:
            // The server processes a request whose client has timed out.
            figures.count(.late, at: time)
            fail(index, at: time + attemptTimeout, .transient(retryAfter: nil))
        case .unavailable(let end, let retryAfter):
            figures.count(.unavailable, at: time)
            let isHeard = policy.honoursRetryAfter && end - time <= attemptTimeout
            fail(index, at: min(end, time + attemptTimeout), .transient(retryAfter: isHeard ? retryAfter : nil))
        case .lost(let end):
            figures.count(.lost, at: time)
            fail(index, at: end, .transient(retryAfter: nil))
        case .refused(let end):
            figures.count(.refused, at: time)
            guard policy.endsOnRefusal else { return fail(index, at: end, .misunderstood) }
            // The device shows its sign-in page, and has no further events.
            figures.signedOut += 1
        }
    }

    private mutating func answer(at time: Int) -> NodeResponse {
        if incident.isServerGone(at: time) { return .lost(at: time + SimulatedNode.roundTrip) }
        if incident.isServerWrong(at: time) { return .refused(at: time + SimulatedNode.roundTrip) }
        return node.answer(at: time, slowness: incident.slowness(at: time), waits: policy.waits, &chance)
    }

    /// Stores a new token.
    private mutating func take(_ index: Int, askedAt: Int, at time: Int) {
        let life = policy.lifetime.jittered(by: policy.spread, chance: chance.uniform())
        let (asked, end) = (Duration.milliseconds(askedAt), Duration.milliseconds(askedAt) + life)
        // A server sends the hint in whole seconds, like the lifetime.
        let hint = life.refreshHint(spread: policy.spread, chance: chance.uniform())?.wholeSeconds
        let due = policy.schedule?.refreshTime(
            askedAt: asked,
            expiresAt: end,
            hint: hint.map { asked + .seconds($0) },
            chance: chance.uniform()
        )
        // If the clock is ahead, the token expires too early; if it is behind, a 401 reveals the expiry.
        let lead = policy.trustsWallClock ? wallClockLead(of: index) : 0
        devices[index].askedAt = Int32(askedAt)
        devices[index].lifetime = Int32(clamping: life.milliseconds)
        devices[index].usableUntil = Int32(clamping: end.milliseconds - Int64(max(0, lead)))
        devices[index].dueAt = Int32(clamping: due.map { $0.milliseconds - Int64(lead) } ?? .max)
        devices[index].refreshes += 1
        if devices[index].flags.contains(.isRefused) {
            devices[index].flags.insert(.isFromRefusal)
        } else {
            devices[index].flags.remove(.isFromRefusal)
        }
        forgetFailures(index)
        if devices[index].flags.contains(.isWaiting) {
            devices[index].flags.remove(.isWaiting)
            let waitingSince = Int(devices[index].waitingSince)
            if time - waitingSince > callerTimeout { recordError(index, at: waitingSince + callerTimeout) }
            recordWait(index, until: time)
        }
        scheduleNext(index, at: time)
    }

    private func wallClockLead(of index: Int) -> Int {
        guard let skew else { return 0 }
        return fleet.skew(of: index, share: skew.share, upTo: skew.limit)
    }

    private mutating func fail(_ index: Int, at time: Int, _ fault: Fault) {
        devices[index].failures = devices[index].failures == .max ? .max : devices[index].failures + 1
        let failures = Int(devices[index].failures)
        switch policy.retry {
        case .atOnce(let attempts):
            if failures < attempts { return set(index, .retry, at: time) }
            giveUp(index, at: time)
        case .backoff(let backoff, let isRemembered):
            let retryAfter: Duration? = if case .transient(let delay) = fault { delay } else { nil }
            let share = chance.uniform()
            let delay = backoff.delay(afterFailures: failures, retryAfter: retryAfter, chance: share)
            let next = time + Int(delay.milliseconds)
            devices[index].pausedUntil = Int32(clamping: next)
            if retryAfter != nil { devices[index].retryAfterUntil = Int32(clamping: next) }
            let isWaiting = devices[index].flags.contains(.isWaiting)
            if case .transient = fault, isWaiting, next <= Int(devices[index].waitingSince) + callerTimeout {
                return set(index, .retry, at: next)
            }
            if isWaiting { giveUp(index, at: time) }
            if isRemembered {
                let quiet = backoff.forBackgroundRefresh.delay(afterFailures: failures, retryAfter: nil, chance: share)
                devices[index].backgroundPausedUntil = Int32(clamping: time + Int(quiet.milliseconds))
            }
        }
        scheduleNext(index, at: time)
    }

    mutating func forgetFailures(_ index: Int) {
        devices[index].failures = 0
        devices[index].pausedUntil = 0
        devices[index].retryAfterUntil = 0
        devices[index].backgroundPausedUntil = 0
    }

    // MARK: Effects on users

    /// Fails a waiting caller with an error.
    mutating func giveUp(_ index: Int, at time: Int) {
        devices[index].flags.remove(.isWaiting)
        recordError(index, at: time)
    }

    private mutating func recordError(_ index: Int, at time: Int) {
        figures.errors += 1
        devices[index].flags.insert(.sawError)
        recordWait(index, until: time)
    }

    mutating func recordWait(_ index: Int, until time: Int) {
        if time - Int(devices[index].waitingSince) > FleetOutcome.longWait { devices[index].flags.insert(.waitedLong) }
    }
}
