// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Decides whether file locks may be held: only during an expiring activity of the system.
///
/// The system terminates an app that is suspended while it holds a lock on a file in a shared container (exception code
/// 0xdead10cc). All locks of a process share one activity, which starts with the first and ends with the last. Every
/// activity has a number, and events of an ended activity have no effect.
struct SuspensionStateMachine: Equatable {
    typealias Owner = Int
    typealias Activity = Int

    enum State: Equatable {
        /// No lock is held. Goes to `starting` with the first request.
        case idle
        /// The activity was requested. Goes to `granted` or `expiring`, and to `idle` if no request is left.
        case starting(Activity)
        /// Locks may be held. Goes to `idle` when the last lock is released, and to `expiring` when the activity
        /// expires.
        case granted(Activity)
        /// The process is about to be suspended. Goes to `idle` when the last lock is released.
        case expiring(Activity)
    }

    /// The result of a request for a lock.
    enum Permission: Equatable {
        /// The caller has to request this activity from the system, whose response determines the permission.
        case request(Activity)
        /// This activity was already requested from the system, whose response determines the permission.
        case wait(Activity)
        case granted
        case refused
    }

    private(set) var state = State.idle
    private(set) var owners: Set<Owner> = []
    private var lastOwner = 0
    private var lastActivity = 0

    /// Requests permission to take a lock.
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

    /// Records that the system granted the activity.
    mutating func granted(_ activity: Activity) {
        if state == .starting(activity) { state = .granted(activity) }
    }

    /// Records that the process is about to be suspended.
    ///
    /// - Returns: The owners that must release their locks now.
    mutating func expired(_ activity: Activity) -> Set<Owner> {
        switch state {
        case .starting(activity):
            // No owner holds a lock yet.
            state = .idle
            owners = []
            return []
        case .granted(activity):
            state = .expiring(activity)
            return owners
        default: return []
        }
    }

    /// Records that a lock was released, or is no longer needed.
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

    /// Whether an owner may take its lock; `nil` while the system has not responded.
    func isGranted(_ owner: Owner) -> Bool? {
        guard owners.contains(owner) else { return false }
        return switch state {
        case .starting: nil
        case .granted: true
        case .idle, .expiring: false
        }
    }
}
