// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The retention of the audit trail, by kind of event.
package struct AuditRetention: Equatable, Sendable {
    /// The retention of sign-ins, refusals, endings, and other unusual events.
    package var events = Duration.seconds(90 * 86_400)
    /// The retention of ordinary refreshes and confirmations.
    package var plain = Duration.seconds(7 * 86_400)

    package init() {}
}
