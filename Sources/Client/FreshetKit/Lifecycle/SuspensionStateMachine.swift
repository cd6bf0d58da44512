// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Decides whether locks on files may be held: only while the system has promised not to suspend the process.
///
/// The system ends an app that is suspended while it holds a lock on a file in a shared container (exception code
/// 0xdead10cc). All locks of a process share one activity, which begins with the first and ends with the last. Every
/// activity has a number, and news of an activity that is over has no effect.
struct SuspensionStateMachine: Equatable {
    typealias Owner = Int
    typealias Activity = Int

    enum State: Equatable {
        /// No lock is held. Goes to `starting` with the first that is wanted.
        case idle
        /// The system was asked. Goes to `granted` or `expiring` by its answer, and to `idle` if no lock is wanted any more.
        case starting(Activity)
        /// Locks may be held. Goes to `idle` with the last one's release, and to `expiring` when the system says so.
        case granted(Activity)
        /// The process is about to be suspended. Goes to `idle` with the last lock's release.
        case expiring(Activity)
    }

    /// What becomes of a lock that is wanted.
    enum Permission: Equatable {
        /// The system is to be asked for this activity; the answer decides.
        case request(Activity)
        /// The system was asked for this activity; the answer decides.
        case wait(Activity)
        case granted
        case refused
    }

    private(set) var state = State.idle
    private(set) var owners: Set<Owner> = []
    private var lastOwner = 0
    private var lastActivity = 0

    /// A lock is about to be taken.
    mutating func acquire() -> (owner: Owner, permission: Permission) {
        lastOwner += 1
        switch state {
        case .idle:
            lastActivity += 1
            state = .starting(lastActivity)
            owners = [lastOwner]
            return (lastOwner, .request(lastActivity))
        case .starting(let activity):
            owners.insert(lastOwner)
            return (lastOwner, .wait(activity))
        case .granted:
            owners.insert(lastOwner)
            return (lastOwner, .granted)
        case .expiring: return (lastOwner, .refused)
        }
    }

    /// The system promised what it was asked for.
    mutating func granted(_ activity: Activity) {
        if state == .starting(activity) { state = .granted(activity) }
    }

    /// The process is about to be suspended.
    ///
    /// - Returns: The owners that have to release their locks now.
    mutating func expired(_ activity: Activity) -> Set<Owner> {
        switch state {
        case .starting(activity):
            // None of them has a lock yet.
            state = .idle
            owners = []
            return []
        case .granted(activity):
            state = .expiring(activity)
            return owners
        default: return []
        }
    }

    /// A lock was released, or is not wanted any more.
    mutating func release(_ owner: Owner) {
        owners.remove(owner)
        if owners.isEmpty { state = .idle }
    }

    /// Whether an activity is still needed.
    func isCurrent(_ activity: Activity) -> Bool {
        switch state {
        case .starting(activity), .granted(activity), .expiring(activity): true
        default: false
        }
    }

    /// Whether an owner has what it waits for; `nil` while the system has not answered.
    func isGranted(_ owner: Owner) -> Bool? {
        guard owners.contains(owner) else { return false }
        return switch state {
        case .starting: nil
        case .granted: true
        case .idle, .expiring: false
        }
    }
}
