// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The lock that lets one process refresh at a time, among all that share the session.
///
/// Waiting has a timeout: a process that was suspended during a refresh must not block the others forever. With
/// Freshet's own protocol, a refresh without the lock costs at most one additional request. With a backend that accepts
/// each refresh token only once, the timeout starts again if the lock has another owner: on a slow network, several
/// processes refresh one after the other for longer.
final class RefreshLock: Sendable {
    /// The interval at which the lock is tried; another process's refresh takes a round trip.
    private static let interval = Duration.milliseconds(20)
    /// The longest time that counts between two attempts.
    ///
    /// After a longer one the device was asleep, so that the process with the lock did not go on either.
    private static let longestInterval = Duration.seconds(1)

    private enum State {
        case waiting
        case held(FileLock)
        case over
    }

    private let processLock: ProcessLock?
    private let policy: RefreshLockPolicy
    private let state = Locked(State.waiting)

    init(_ processLock: ProcessLock?, policy: RefreshLockPolicy) {
        self.processLock = processLock
        self.policy = policy
    }

    /// Waits until no other process refreshes, or until `timeout` has passed while the device was awake.
    ///
    /// - Throws: ``SessionStoreError`` if the lock cannot be acquired now, and a refresh without it could end the
    ///   session.
    func acquire(within timeout: Duration, on clock: SessionClock) async throws(SessionStoreError) {
        guard let processLock else { return }
        var (left, lastAttempt) = (timeout, clock.now())
        var owner: UInt64?
        var isFirstAttempt = true
        while true {
            do throws(SessionStoreError) {
                if let lock = try processLock.attempt(), keep(lock) {
                    if !policy.allowsRepeatedRefresh { lock.recordOwner() }
                    return
                }
            } catch {
                guard policy.allowsRefresh(without: error) else { throw error }
                return
            }
            if isOver {
                // The system is about to suspend the process, which may not receive the response.
                guard policy.allowsRepeatedRefresh else { throw .suspension }
                return
            }
            let now = clock.now()
            left -= min(now - lastAttempt, Self.longestInterval)
            lastAttempt = now
            if isFirstAttempt, !policy.allowsRepeatedRefresh { owner = processLock.lastOwner() }
            isFirstAttempt = false
            if left <= .zero {
                let newOwner = policy.allowsRepeatedRefresh ? owner : processLock.lastOwner()
                guard newOwner != owner else { return }
                (owner, left) = (newOwner, timeout)
            }
            let pause = min(Self.interval * (1 + clock.chance()), left)
            try? await clock.sleep(until: now + pause, for: .pause("for the refresh of another process"))
        }
    }

    private var isOver: Bool {
        state.withLock { state in if case .over = state { true } else { false } }
    }

    /// Returns whether the lock is held now; it is released if the owner no longer waits for it.
    private func keep(_ lock: FileLock) -> Bool {
        let isKept = state.withLock { state in
            guard case .waiting = state else { return false }
            state = .held(lock)
            return true
        }
        if !isKept { lock.release() }
        return isKept
    }

    /// Releases the lock, or stops waiting for it.
    ///
    /// May be called more than once, from any thread.
    func release() {
        let held: FileLock? = state.withLock { state in
            defer { state = .over }
            if case .held(let lock) = state { return lock }
            return nil
        }
        held?.release()
    }

    deinit { release() }
}
