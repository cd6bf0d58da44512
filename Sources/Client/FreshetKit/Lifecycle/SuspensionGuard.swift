// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// Keeps the process from being suspended while it holds locks on files.
///
/// It drives ``SuspensionStateMachine``. Every lock takes a lease before it is taken, so that there is none without.
final class SuspensionGuard: Sendable {
    /// How long the system may take to answer, in seconds.
    private static let longestWait: TimeInterval = 2
    /// What the owner of a lock has; ``end()`` gives it back.
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
    /// Says that something changed.
    private let condition = NSCondition()

    /// A guard of the locks of a process.
    ///
    /// - Parameters:
    ///   - activity: The system's promise.
    ///   - briefLockTimeout: How long brief locks are waited for when the process is about to be suspended, in seconds.
    init(_ activity: ExpiringActivity, briefLockTimeout: TimeInterval = 1) {
        self.activity = activity
        self.briefLockTimeout = briefLockTimeout
    }

    /// Asks that the process is not suspended from now on.
    ///
    /// - Parameter expirationHandler: Releases the lock, or does nothing if its owner is about to; called when the process is about to
    ///   be suspended all the same.
    /// - Returns: What is to be ended when the lock was released.
    /// - Throws: ``SessionStoreError`` if that is already so.
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

    /// The system's call: it returns when the activity is over.
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

    /// Waits until there is an answer, without an end if none is given.
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
    /// The lock can be had again when the process goes on.
    package static let suspension = SessionStoreError(
        .locked,
        "the system is about to suspend the app, so no lock is taken"
    )
}
