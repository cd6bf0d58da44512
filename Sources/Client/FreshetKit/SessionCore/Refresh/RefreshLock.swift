// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// This process's turn to refresh, among all that share the session.
///
/// Waiting has an end: a process that was stopped in the middle of a refresh must not keep the others out for ever. With
/// Freshet's own protocol going ahead without the turn costs a request at most.
final class RefreshLock: Sendable {
    /// How long to wait between two looks at the lock; a sibling's refresh takes a round trip.
    private static let interval = Duration.milliseconds(20)

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

    /// Waits until no other process refreshes, or until `deadline`.
    ///
    /// - Throws: ``SessionStoreError`` if the lock cannot be had now, and a refresh without it could cost the session.
    func acquire(until deadline: Duration, on clock: SessionClock) async throws(SessionStoreError) {
        guard let processLock else { return }
        while true {
            do throws(SessionStoreError) {
                if let lock = try processLock.attempt() { return keep(lock) }
            } catch {
                guard policy.allowsRefresh(without: error) else { throw error }
                return
            }
            let now = clock.now()
            guard now < deadline, !isOver else { return }
            let next = now + Self.interval * (1 + clock.chance())
            try? await clock.sleep(until: min(next, deadline), for: .pause("for the refresh of another process"))
        }
    }

    private var isOver: Bool {
        state.withLock { state in if case .over = state { true } else { false } }
    }

    private func keep(_ lock: FileLock) {
        let isKept = state.withLock { state in
            guard case .waiting = state else { return false }
            state = .held(lock)
            return true
        }
        if !isKept { lock.release() }
    }

    /// Lets the others have their turn, or stops waiting for it.
    ///
    /// It may be called more than once, from anywhere.
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
