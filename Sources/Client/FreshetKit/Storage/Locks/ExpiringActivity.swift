// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// An activity during which the system does not suspend the process.
struct ExpiringActivity: Sendable {
    /// Calls `body` with `false` on another thread; the process is not suspended before it returns.
    ///
    /// Calls `body` with `true` when the process is about to be suspended nevertheless: after the first call if the
    /// time runs out, or instead of it if the system grants no time.
    var perform: @Sendable (_ reason: String, _ body: @escaping @Sendable (_ isExpired: Bool) -> Void) -> Void

    #if !canImport(UIKit)
        /// The system's expiring activity: `nil`, because this system does not suspend processes.
        static var system: ExpiringActivity? { nil }
    #endif
}
