// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
package import FreshetKit

/// A clock that moves only when a test moves it, together with a wall clock that a test may set wrong.
///
/// A test that waits for a pause on a clock that stands still would hang without a word. After ``WaitReporter/patience`` of
/// real time the clock prints the sleeps and the requests that are open; ``skipPauses(during:)`` and ``run(for:)`` move it.
public final class TestClock: Clock {
    /// A moment on this clock.
    public struct Instant: InstantProtocol {
        /// The time since the clock was made.
        public var offset: Swift.Duration

        /// A moment `offset` after the clock was made.
        public init(offset: Swift.Duration = .zero) { self.offset = offset }

        /// A later moment.
        public func advanced(by duration: Swift.Duration) -> Instant { Instant(offset: offset + duration) }
        /// The time from this moment to another.
        public func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
        /// Whether one moment is before another.
        public static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
    }

    /// How long each sleeper asked to sleep, in order, sleeps that are over included.
    ///
    /// ``waitForSleep(for:)`` waits for a sleep that is under way.
    public let sleeps: AsyncStream<Swift.Duration>
    let slept: AsyncStream<Swift.Duration>.Continuation
    let state: Locked<State>
    let reporter: WaitReporter
    private let start: Date

    /// A clock that stands at zero, and whose wall shows `start`.
    ///
    /// - Parameters:
    ///   - start: The date at zero.
    ///   - reporter: When and where it reports that nothing moves it.
    public init(
        start: Date = Date(timeIntervalSince1970: 1_800_000_000),
        reporter: WaitReporter = .standardError
    ) {
        self.start = start
        self.reporter = reporter
        state = Locked(State())
        (sleeps, slept) = AsyncStream.makeStream()
    }

    /// The moment now.
    public var now: Instant { state.withLock { $0.now } }
    /// There is no smallest step.
    public var minimumResolution: Swift.Duration { .zero }

    /// What a device with this clock believes the date to be.
    public var wall: Date {
        let (now, offset) = state.withLock { ($0.now.offset, $0.wallOffset) }
        let seconds = Double(now.components.seconds) + Double(now.components.attoseconds) / 1e18
        return start.addingTimeInterval(seconds + offset)
    }

    /// Sleeps until a test has moved the clock to `deadline`.
    public func sleep(until deadline: Instant, tolerance: Swift.Duration? = nil) async throws {
        try await sleep(until: deadline, for: .pause("of a task"))
    }

    /// Moves time on, and wakes the sleepers that are due, in the order of their deadlines.
    ///
    /// The clock shows a sleeper's deadline when it wakes it, and the new time when this returns. The tasks that were woken
    /// go on beside the test and may read the new time; ``run(for:)`` waits for them at each deadline.
    public func advance(by duration: Swift.Duration) {
        advance(by: duration) { _ in }
    }

    /// Moves time on, and tells what the clock shows at each wake-up.
    package func advance(by duration: Swift.Duration, onWake: (Swift.Duration) -> Void) {
        let target = now.advanced(by: duration)
        while let due = wakeNext(by: target) {
            onWake(now.offset)
            due.continuation.resume()
        }
        state.withLock { $0.now = max($0.now, target) }
        recordChange()
    }

    /// Sets the wall clock alone, as a user or a time server does.
    public func moveWallClock(by seconds: TimeInterval) {
        state.withLock { $0.wallOffset += seconds }
    }

    /// Starts the device's system anew, at once: what was counted since its start begins at zero.
    ///
    /// Sessions that were made before live on; a test makes new ones, as an app does that is launched again.
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

    /// This clock as a session reads it, with `chance` in the place of every random draw.
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
