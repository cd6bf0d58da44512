// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The bounds of the mail queue.
package struct MailLimits: Equatable, Sendable {
    /// The number of mails that wait for their first delivery attempt; the same number may be deferred.
    package var capacity = 1024
    /// The maximum number of mails of one source network, waiting or deferred.
    package var perSource = 64
    /// The maximum number of mails to one domain that wait for their first delivery attempt.
    package var perDomain = 512
    /// The maximum number of concurrent connections to the relay.
    package var connections = 4

    package init() {}

    /// The maximum number of notices in the queue; the rest is reserved for codes.
    var notificationCapacity: Int { max(1, capacity / 2) }
    /// The maximum number of connections for one domain, for one source network, and for mails that have been deferred.
    var connectionShare: Int { max(1, connections / 2) }
}
