// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
package import FreshetKit

/// A clock that moves only when a test moves it, together with a wall clock that a test may set wrong.
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

    private struct State {
        var now = Instant()
        var wallOffset = 0.0
        /// Which start of the system it is, and when that was.
        var boot = UUID().uuidString
        var bootedAt = Instant()
        var lastID = 0
        var sleepers: [Int: (deadline: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
    }

    /// How long each sleeper asked to sleep, in order.
    ///
    /// A test waits here instead of guessing when its subject has gone to sleep.
    public let sleeps: AsyncStream<Swift.Duration>
    private let slept: AsyncStream<Swift.Duration>.Continuation
    private let state = Locked(State())
    private let start: Date

    /// A clock that stands at zero, and whose wall shows `start`.
    public init(start: Date = Date(timeIntervalSince1970: 1_800_000_000)) {
        self.start = start
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
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let (asked, isOver) = state.withLock { state in
                    let asked = state.now.duration(to: deadline)
                    // Asked under the lock: a cancellation from before this line found no sleeper to wake.
                    let isOver = Task.isCancelled || asked <= .zero
                    if !isOver { state.sleepers[id] = (deadline, continuation) }
                    return (asked, isOver)
                }
                if isOver { continuation.resume(with: Result { try Task.checkCancellation() }) }
                slept.yield(asked)
            }
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: id) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Moves time on, and wakes whoever is due.
    public func advance(by duration: Swift.Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in due { continuation.resume() }
    }

    /// Sets the wall clock alone, as a user or a time server does.
    public func moveWall(by seconds: TimeInterval) {
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

    private var bootTime: BootTime {
        let state = state.withLock { $0 }
        return BootTime(boot: state.boot, elapsed: state.bootedAt.duration(to: state.now))
    }

    /// Waits until somebody sleeps for exactly `duration`; other sleepers are passed over.
    public func untilSomebodySleeps(for duration: Swift.Duration) async {
        for await slept in sleeps where slept == duration { return }
    }

    /// This clock as a session reads it, with `chance` in the place of every random draw.
    package func sessionClock(chance: Double = 1) -> SessionClock {
        SessionClock(
            now: { self.now.offset },
            wall: { self.wall },
            boot: { self.bootTime },
            sleep: { try await self.sleep(until: Instant(offset: $0)) },
            chance: { chance }
        )
    }
}
