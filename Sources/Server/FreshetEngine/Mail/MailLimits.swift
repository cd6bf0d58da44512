// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The bounds of the mail queue.
package struct MailLimits: Equatable, Sendable {
    /// The number of mails that wait for their first delivery attempt; the same number may be deferred.
    package var capacity = 1024
    /// Mails of one source network, waiting or deferred.
    package var perSource = 64
    /// Mails to one domain that wait for their first delivery attempt.
    package var perDomain = 512
    /// Connections to the relay at one time.
    package var connections = 4

    package init() {}

    /// The part of the queue that is reserved for codes.
    var notificationCapacity: Int { max(1, capacity / 2) }
    /// Connections for one domain, for one source network, and for mails that were deferred before.
    var connectionShare: Int { max(1, connections / 2) }
}
