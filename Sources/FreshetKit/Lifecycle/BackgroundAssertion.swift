// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Keeps the system from suspending the app in the middle of a refresh.
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
}
