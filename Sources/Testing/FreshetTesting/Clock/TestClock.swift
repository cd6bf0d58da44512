// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
package import FreshetKit

/// A clock that advances only when a test advances it, with a wall clock that can be set wrong.
///
/// A test that waits for a pause hangs, because the clock is stopped. After ``WaitReporter/threshold`` of real time,
/// the clock therefore prints the sleeps and the open requests; ``skipPauses(during:)`` and ``run(for:)`` advance it.
public final class TestClock: Clock {
    /// An instant of this clock.
    public struct Instant: InstantProtocol {
        /// The time since the clock was created.
        public var offset: Swift.Duration

        /// Creates an instant `offset` after the clock was created.
        public init(offset: Swift.Duration = .zero) { self.offset = offset }

        /// Returns a later instant.
        public func advanced(by duration: Swift.Duration) -> Instant { Instant(offset: offset + duration) }
        /// Returns the time from this instant to another.
        public func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
        /// Whether one instant is before another.
        public static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
    }

    /// The requested duration of each sleep, in order, including sleeps that have ended.
    ///
    /// ``waitForSleep(for:)`` waits for a current sleep.
    public let sleeps: AsyncStream<Swift.Duration>
    let slept: AsyncStream<Swift.Duration>.Continuation
    let state: Locked<State>
    let reporter: WaitReporter
    /// The date of the wall clock at zero, before it is moved.
    let start: Date

    /// Creates a clock at zero, whose wall clock shows `start`.
    ///
    /// - Parameters:
    ///   - start: The date at zero.
    ///   - reporter: Reports that the test does not advance the clock.
    public init(
        start: Date = Date(timeIntervalSince1970: 1_800_000_000),
        reporter: WaitReporter = .standardError
    ) {
        self.start = start
        self.reporter = reporter
        state = Locked(State())
        (sleeps, slept) = AsyncStream.makeStream()
    }

    /// The current instant.
    public var now: Instant { state.withLock { $0.now } }
    /// Zero: the clock has no smallest step.
    public var minimumResolution: Swift.Duration { .zero }

    /// The date that the wall clock of a device with this clock shows.
    public var wall: Date {
        let (now, offset) = state.withLock { ($0.now.offset, $0.wallOffset) }
        let seconds = Double(now.components.seconds) + Double(now.components.attoseconds) / 1e18
        return start.addingTimeInterval(seconds + offset)
    }

    /// Sleeps until a test has advanced the clock to `deadline`.
    public func sleep(until deadline: Instant, tolerance: Swift.Duration? = nil) async throws {
        try await sleep(until: deadline, for: .pause("of a task"))
    }

    /// Advances the clock, and resumes the sleepers that are due in the order of their deadlines.
    ///
    /// The clock shows a sleeper's deadline when it resumes the sleeper, and the new time when this method returns. The
    /// resumed tasks run concurrently with the test and may read the new time; ``run(for:)`` waits for them at each
    /// deadline.
    public func advance(by duration: Swift.Duration) {
        advance(by: duration) { _ in }
    }

    /// Advances the clock, and passes the time of each wake-up to `onWake`.
    package func advance(by duration: Swift.Duration, onWake: (Swift.Duration) -> Void) {
        let target = now.advanced(by: duration)
        while let due = wakeNext(by: target) {
            onWake(now.offset)
            due.continuation.resume()
        }
        state.withLock { $0.now = max($0.now, target) }
        recordChange()
    }

    /// Changes only the wall clock, like a user or a time server.
    public func moveWallClock(by seconds: TimeInterval) {
        state.withLock { $0.wallOffset += seconds }
    }

    /// Reboots the device instantly: the time since boot starts at zero.
    ///
    /// Existing sessions continue; a test creates new ones, like an app at its next launch.
    public func reboot() {
        state.withLock { state in
            state.boot = UUID().uuidString
            state.bootedAt = state.now
        }
    }

    var bootTime: BootTime {
        let state = state.withLock { ($0.boot, $0.bootedAt, $0.now) }
        return BootTime(boot: state.0, elapsed: state.1.duration(to: state.2))
    }

    /// Returns a session's clock that reads this clock, with `chance` instead of each random number.
    package func sessionClock(chance: Double = 1) -> SessionClock {
        var clock = SessionClock(
            now: { self.now.offset },
            wall: { self.wall },
            boot: { self.bootTime },
            sleep: { try await self.sleep(until: Instant(offset: $0)) },
            chance: { chance }
        )
        clock.sleep = { try await self.sleep(until: Instant(offset: $0), for: $1) }
        clock.timer = { time, purpose, body in
            self.timerStarted()
            return Task {
                guard (try? await self.sleep(until: Instant(offset: time), for: purpose, isTimer: true)) != nil else {
                    return
                }
                await body()
                self.timerEnded()
            }
        }
        return clock
    }
}
