// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The system's promise not to suspend the process for a while.
struct ExpiringActivity: Sendable {
    /// Has `body` called with `false` on another thread, and does not let the process be suspended before it returns.
    ///
    /// It is called with `true` when the process is about to be suspended all the same: after the first call if time runs
    /// out, or instead of it if the system promises nothing.
    var perform: @Sendable (_ reason: String, _ body: @escaping @Sendable (_ isExpired: Bool) -> Void) -> Void

    #if !canImport(UIKit)
        /// None: this system does not suspend processes.
        static var system: ExpiringActivity? { nil }
    #endif
}
