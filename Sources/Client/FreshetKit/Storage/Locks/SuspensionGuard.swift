// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// Keeps the process from being suspended while it holds file locks.
///
/// It drives ``SuspensionStateMachine``. A lease is obtained before every lock.
final class SuspensionGuard: Sendable {
    /// The timeout of the system's response, in seconds.
    private static let longestWait: TimeInterval = 2
    /// The right to hold a lock; ``end()`` returns it.
    struct Lease: Sendable {
        fileprivate let suspension: SuspensionGuard
        fileprivate let owner: SuspensionStateMachine.Owner

        func end() { suspension.release(owner) }
    }

    private struct Content {
        var machine = SuspensionStateMachine()
        var expirationHandlers: [SuspensionStateMachine.Owner: @Sendable () -> Void] = [:]
    }

    private let activity: ExpiringActivity
    private let briefLockTimeout: TimeInterval
    private let content = Locked(Content())
    /// Signals a change of the state.
    private let condition = NSCondition()

    /// Creates a guard of a process's locks.
    ///
    /// - Parameters:
    ///   - activity: The system's expiring activity.
    ///   - briefLockTimeout: The time to wait for brief locks when the process is about to be suspended, in seconds.
    init(_ activity: ExpiringActivity, briefLockTimeout: TimeInterval = 1) {
        self.activity = activity
        self.briefLockTimeout = briefLockTimeout
    }

    /// Keeps the process from being suspended until the lease ends.
    ///
    /// - Parameter expirationHandler: Releases the lock, unless its owner is about to release it; called when the
    ///   process is about to be suspended in spite of the lease.
    /// - Returns: The lease, to be ended after the lock was released.
    /// - Throws: ``SessionStoreError`` if the process is already about to be suspended.
    func lease(_ expirationHandler: @escaping @Sendable () -> Void) throws(SessionStoreError) -> Lease {
        let (owner, permission) = content.withLock { content in
            let acquired = content.machine.acquire()
            if acquired.permission != .refused { content.expirationHandlers[acquired.owner] = expirationHandler }
            return acquired
        }
        if case .request(let number) = permission {
            activity.perform("Freshet holds a lock on a file") { [self] isExpired in run(number, isExpired) }
        }
        if permission == .refused || !wait(for: owner) {
            release(owner)
            throw .suspension
        }
        return Lease(suspension: self, owner: owner)
    }

    private func wait(for owner: SuspensionStateMachine.Owner) -> Bool {
        until(Date(timeIntervalSinceNow: Self.longestWait)) { $0.isGranted(owner) } ?? false
    }

    private func release(_ owner: SuspensionStateMachine.Owner) {
        content.withLock { content in
            content.machine.release(owner)
            content.expirationHandlers[owner] = nil
        }
        announce()
    }

    /// Runs as the system's activity, which lasts until this returns.
    private func run(_ number: SuspensionStateMachine.Activity, _ isExpired: Bool) {
        if isExpired {
            let expirationHandlers = content.withLock { content in
                let owners = content.machine.expired(number)
                return owners.compactMap { content.expirationHandlers[$0] }
            }
            announce()
            for expirationHandler in expirationHandlers { expirationHandler() }
            until(Date(timeIntervalSinceNow: briefLockTimeout)) { $0.isCurrent(number) ? nil : true }
        } else {
            content.withLock { $0.machine.granted(number) }
            announce()
            until(nil) { $0.isCurrent(number) ? nil : true }
        }
    }

    private func announce() {
        condition.lock()
        condition.broadcast()
        condition.unlock()
    }

    /// Waits for a result until `end`, or without a timeout.
    @discardableResult
    private func until(_ end: Date?, _ answer: (SuspensionStateMachine) -> Bool?) -> Bool? {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let answer = content.withLock({ answer($0.machine) }) { return answer }
            guard let end else {
                condition.wait()
                continue
            }
            guard condition.wait(until: end) else { return content.withLock { answer($0.machine) } }
        }
    }
}

extension SessionStoreError {
    /// The error while the process is about to be suspended; the lock is available again when it resumes.
    package static let suspension = SessionStoreError(
        .locked,
        "the system is about to suspend the app, so no lock is taken"
    )
}
