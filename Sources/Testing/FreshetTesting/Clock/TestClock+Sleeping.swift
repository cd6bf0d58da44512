// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetKit

extension TestClock {
    /// Sleeps until a test has moved the clock to `deadline`.
    ///
    /// - Parameters:
    ///   - deadline: The time to wake up at.
    ///   - purpose: The purpose of the sleep.
    ///   - isTimer: Whether the caller calls ``timerEnded()`` afterwards.
    /// - Throws: `CancellationError` if the task is cancelled before the deadline.
    func sleep(until deadline: Instant, for purpose: SleepPurpose, isTimer: Bool = false) async throws {
        let id = newID()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                fallAsleep(id, until: deadline, for: purpose, isTimer, continuation)
            }
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: id) }
            sleeper?.report?.cancel()
            sleeper?.continuation.resume(throwing: CancellationError())
            if sleeper != nil { recordChange() }
        }
    }

    private func fallAsleep(
        _ id: Int,
        until deadline: Instant,
        for purpose: SleepPurpose,
        _ isTimer: Bool,
        _ continuation: CheckedContinuation<Void, any Error>
    ) {
        let (asked, isOver, skips) = state.withLock { state in
            let asked = state.now.duration(to: deadline)
            // Checked under the lock: an earlier cancellation did not find a sleeper to resume.
            let isOver = Task.isCancelled || asked <= .zero
            // A timer whose deadline has passed counts as running until `timerEnded()`.
            if isTimer, !isOver || Task.isCancelled { state.runningTimers -= 1 }
            if !isOver {
                state.sleepers[id] = Sleeper(
                    asked: asked,
                    deadline: deadline,
                    purpose: purpose,
                    isTimer: isTimer,
                    continuation: continuation,
                    report: purpose.isPause ? reporter.task { [weak self] in self?.stallReport() } : nil
                )
            }
            return (asked, isOver, purpose.isPause && state.pauseSkippers > 0)
        }
        if isOver { continuation.resume(with: Result { try Task.checkCancellation() }) }
        slept.yield(asked)
        guard !isOver else { return recordChange() }
        resumeWatchers()
        recordChange()
        if skips { advance(by: now.duration(to: deadline)) }
    }

    func newID() -> Int {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    /// Advances the clock to the first deadline by `target`, and removes and returns its sleeper.
    func wakeNext(by target: Instant) -> Sleeper? {
        let sleeper: Sleeper? = state.withLock { state in
            guard let next = state.next(by: target) else { return nil }
            state.now = max(state.now, next.deadline)
            let sleeper = state.sleepers.removeValue(forKey: next.id)
            if sleeper?.isTimer == true { state.runningTimers += 1 }
            return sleeper
        }
        sleeper?.report?.cancel()
        return sleeper
    }

    /// Counts a timer whose task is about to sleep.
    func timerStarted() {
        state.withLock { $0.runningTimers += 1 }
        recordChange()
    }

    /// Records that the work after a timer's sleep is done.
    func timerEnded() {
        state.withLock { $0.runningTimers -= 1 }
        recordChange()
    }

    // MARK: Waiting for sleeps

    /// Waits until a task sleeps for exactly `duration`; other sleepers are ignored.
    ///
    /// Only current sleeps count, and each one is reported once. A sleep that has ended, or was returned by an earlier
    /// wait, does not end this wait.
    public func waitForSleep(for duration: Swift.Duration) async {
        await waitForSleep("for \(duration.text)") { $0 == duration }
    }

    /// Waits until a task sleeps for a duration that `isMeant` accepts.
    ///
    /// - Returns: The duration of that sleep.
    @discardableResult
    public func waitForSleep(where isMeant: @escaping @Sendable (Swift.Duration) -> Bool) async -> Swift.Duration {
        await waitForSleep("whose duration the test accepts", where: isMeant) ?? .zero
    }

    @discardableResult
    private func waitForSleep(
        _ text: String,
        where isMeant: @escaping @Sendable (Swift.Duration) -> Bool
    ) async -> Swift.Duration? {
        let id = newID()
        let report = reporter.task { [weak self] in
            self.map { "The test waits for a sleep \(text).\n" + $0.summary }
        }
        defer { report.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if !Task.isCancelled { state.watchers[id] = Watcher(isMeant: isMeant, continuation: continuation) }
                    return Task.isCancelled
                }
                if isCancelled { continuation.resume(returning: nil) }
                resumeWatchers()
            }
        } onCancel: {
            state.withLock { $0.watchers.removeValue(forKey: id) }?.continuation.resume(returning: nil)
        }
    }

    private func resumeWatchers() {
        let told = state.withLock { state in
            var told: [(CheckedContinuation<Swift.Duration?, Never>, Swift.Duration)] = []
            for id in state.watchers.keys.sorted() {
                guard let watcher = state.watchers[id] else { continue }
                let meant = state.sleepers.filter { !$0.value.isReported && watcher.isMeant($0.value.asked) }
                guard let sleeper = meant.keys.min() else { continue }
                state.sleepers[sleeper]?.isReported = true
                state.watchers[id] = nil
                told.append((watcher.continuation, meant[sleeper]?.asked ?? .zero))
            }
            return told
        }
        for (continuation, asked) in told { continuation.resume(returning: asked) }
    }
}
