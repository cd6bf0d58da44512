// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Tells whether there is a network, as far as the system knows.
///
/// It is advice: without a network no refresh begins that nobody waits for, and when it is back what had failed is tried
/// again at once. A caller who waits is served whatever it says, because such advice can be wrong.
public struct NetworkMonitor: Sendable {
    let updates: @Sendable () -> AsyncStream<Bool>

    /// A monitor whose streams begin with what is known now, and go on with every change.
    public init(_ updates: @escaping @Sendable () -> AsyncStream<Bool>) {
        self.updates = updates
    }

    /// The system's own where it has one, and none elsewhere.
    public static var standard: NetworkMonitor? {
        #if canImport(Network)
            return .system
        #else
            return nil
        #endif
    }
}
