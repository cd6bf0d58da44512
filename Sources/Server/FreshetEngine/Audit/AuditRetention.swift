// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// For how long the audit trail keeps what.
package struct AuditRetention: Equatable, Sendable {
    /// Sign-ins, refusals, endings, and whatever is out of the ordinary.
    package var events = Duration.seconds(90 * 86_400)
    /// Refreshes and confirmations that say nothing but that all is well.
    package var plain = Duration.seconds(7 * 86_400)

    package init() {}
}
