// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Dispatch

/// Keeps the system from suspending the app in the middle of a refresh.
///
/// Locks on files do not depend on it: each is held only while the system has promised not to suspend the process, and is
/// released before that.
///
/// A refresh whose answer is lost costs nothing with Freshet's own protocol, and a sign-in where a backend takes its
/// refresh token once.
public struct BackgroundAssertion: Sendable {
    /// Ends what was begun; called once.
    public typealias End = @Sendable () -> Void

    let begin: @Sendable (_ name: String, _ expired: @escaping @Sendable () -> Void) async -> End

    /// An assertion of the system's.
    ///
    /// - Parameter begin: Begins it under a name for the system's log, and returns what ends it. It calls `expired` if the
    ///   system ends it first.
    public init(
        _ begin: @escaping @Sendable (_ name: String, _ expired: @escaping @Sendable () -> Void) async -> End
    ) {
        self.begin = begin
    }

    /// An expiring activity of the system's, in apps and in app extensions; `nil` where the system suspends no processes.
    public static var standard: BackgroundAssertion? { ExpiringActivity.system.map { .expiring($0) } }

    /// An assertion that lasts as long as an activity of the system's.
    static func expiring(_ activity: ExpiringActivity) -> BackgroundAssertion {
        BackgroundAssertion { name, expired in
            let ended = DispatchSemaphore(value: 0)
            activity.perform(name) { isExpired in
                guard !isExpired else { return expired() }
                ended.wait()
            }
            return { ended.signal() }
        }
    }
}
