// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct `The clock of a test` {
    let clock = TestClock()

    private func sleeper(_ duration: Duration, _ body: @escaping @Sendable () -> Void = {}) -> Task<Void, Never> {
        Task { [clock] in
            guard (try? await clock.sleep(for: duration)) != nil else { return }
            body()
        }
    }

    @Test func `a cancelled sleep does not complete a wait for its duration`() async throws {
        let first = sleeper(.seconds(5))
        for await slept in clock.sleeps where slept == .seconds(5) { break }
        first.cancel()
        await first.value
        let isThere = Flag()
        async let wait: Void = {
            await clock.waitForSleep(for: .seconds(5))
            #expect(isThere.isSet, "the sleeper that was cancelled answered")
        }()
        // The wait has to pass over the first sleep before the second begins.
        let other = sleeper(.seconds(1))
        await clock.waitForSleep(for: .seconds(1))
        isThere.set()
        let second = sleeper(.seconds(5))
        await wait
        clock.advance(by: .seconds(5))
        await other.value
        await second.value
    }

    @Test func `each sleep completes exactly one wait for a sleep`() async {
        let sleepers = [sleeper(.seconds(1)), sleeper(.seconds(1))]
        await clock.waitForSleep(for: .seconds(1))
        await clock.waitForSleep(for: .seconds(1))
        let third = Task { [clock] in await clock.waitForSleep { $0 == .seconds(1) || $0 == .seconds(2) } }
        // The third wait is answered by a further sleep alone.
        let further = sleeper(.seconds(2))
        #expect(await third.value == .seconds(2))
        clock.advance(by: .seconds(2))
        await further.value
        clock.advance(by: .seconds(1))
        for sleeper in sleepers { await sleeper.value }
    }

    @Test func `each sleeper of a running test clock wakes at its own deadline`() async {
        let seen = Log()
        let durations = [5, 3, 1, 4, 2]
        var sleepers: [Task<Void, Never>] = []
        for seconds in durations {
            sleepers.append(sleeper(.seconds(seconds)) { [clock] in seen.add(clock.now.offset) })
            await clock.waitForSleep(for: .seconds(seconds))
        }
        for _ in durations {
            await clock.run(for: .seconds(1))
        }
        for sleeper in sleepers { await sleeper.value }
        #expect(seen.entries == (1...5).map { .seconds($0) })
        #expect(clock.now.offset == .seconds(5))
    }

    @Test func `an advance of a test clock over several deadlines wakes sleepers in order, at their times`() async {
        // A synchronous observer of the wake-ups: `isMeant` of a watcher is asked for each sleep as it begins.
        let woken = Log()
        var sleepers: [Task<Void, Never>] = []
        for seconds in [30, 10, 20, 40] {
            sleepers.append(sleeper(.seconds(seconds)))
            await clock.waitForSleep(for: .seconds(seconds))
        }
        clock.advance(by: .seconds(25)) { woken.add($0) }
        #expect(woken.entries == [.seconds(10), .seconds(20)])
        #expect(clock.now.offset == .seconds(25))
        clock.advance(by: .seconds(100)) { woken.add($0) }
        #expect(woken.entries == [.seconds(10), .seconds(20), .seconds(30), .seconds(40)])
        #expect(clock.now.offset == .seconds(125))
        for sleeper in sleepers { await sleeper.value }
    }

    @Test func `a test clock skips pauses only while the operation runs`() async throws {
        let start = clock.now
        try await clock.skipPauses {
            try await clock.sleep(for: .seconds(3))
            try await clock.sleep(for: .seconds(4))
        }
        #expect(start.duration(to: clock.now) == .seconds(7))
        let later = sleeper(.seconds(1))
        await clock.waitForSleep(for: .seconds(1))
        #expect(clock.now.offset == .seconds(7))
        clock.advance(by: .seconds(1))
        await later.value
    }
}

/// Durations in the order in which they were added.
private final class Log: @unchecked Sendable {
    private let lock = NSLock()
    private var content: [Duration] = []
    var entries: [Duration] { lock.withLock { content } }
    func add(_ entry: Duration) { lock.withLock { content.append(entry) } }
}

private final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private var value = false
    var isSet: Bool { lock.withLock { value } }
    func set() { lock.withLock { value = true } }
}
