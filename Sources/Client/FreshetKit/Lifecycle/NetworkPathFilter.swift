// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Interprets the reports of the system's network path.
///
/// A pure rule. On Apple Watch the path of an app without low-level networking stays unsatisfied (TN3135). There, an
/// unsatisfied path is trusted only if the monitor has reported a satisfied one before.
struct NetworkPathFilter: Equatable, Sendable {
    private var isTrusted: Bool

    init(on platform: Platform) { isTrusted = platform.reportsNetworkPath }

    /// Interprets a report of the system.
    ///
    /// - Parameter isSatisfied: Whether the path is usable, or would become so when used.
    /// - Returns: Whether there is a network; `nil` if the report is inconclusive.
    mutating func isUp(_ isSatisfied: Bool) -> Bool? {
        if isSatisfied { isTrusted = true }
        return isTrusted ? isSatisfied : nil
    }
}
