// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Dispatch

/// Keeps the system from suspending the app during a refresh.
///
/// File locks do not depend on it: the process holds a lock only during an expiring activity of the system, and
/// releases it before it is suspended.
///
/// A lost response to a refresh is harmless with Freshet's own protocol. With a backend that accepts each refresh token
/// only once, a lost response ends the session.
public struct BackgroundAssertion: Sendable {
    /// Ends the assertion; called once.
    public typealias End = @Sendable () -> Void

    let begin: @Sendable (_ name: String, _ expired: @escaping @Sendable () -> Void) async -> End

    /// Creates an assertion.
    ///
    /// - Parameter begin: Begins the assertion under a name for the system's log, and returns the function that ends
    ///   it. Calls `expired` if the system ends it first.
    public init(
        _ begin: @escaping @Sendable (_ name: String, _ expired: @escaping @Sendable () -> Void) async -> End
    ) {
        self.begin = begin
    }

    /// An expiring activity, in apps and app extensions; `nil` on systems that do not suspend processes.
    public static var standard: BackgroundAssertion? { ExpiringActivity.system.map { .expiring($0) } }

    /// Returns an assertion that lasts as long as an expiring activity.
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
