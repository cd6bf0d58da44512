// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Reports whether the system has a network connection.
///
/// The report is a hint: without a network no background refresh starts, and when it is back, failed refreshes are
/// retried immediately. A caller that waits for a token is served regardless, because the hint can be wrong.
public struct SessionNetworkMonitor: Sendable {
    let updates: @Sendable () -> AsyncStream<Bool>

    /// Creates a monitor whose streams start with the current state, followed by each change.
    public init(_ updates: @escaping @Sendable () -> AsyncStream<Bool>) {
        self.updates = updates
    }

    /// The system's monitor; `nil` on systems without one.
    public static var standard: SessionNetworkMonitor? {
        #if canImport(Network)
            return .system
        #else
            return nil
        #endif
    }
}
