// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetWire

/// A mail in the schedule, without its text.
package struct MailEntry: Equatable, Sendable {
    /// The urgency of a mail.
    package enum Priority: Int, Sendable {
        /// A user waits for the code.
        case code
        case notification
    }

    /// The client that caused a mail.
    package enum Source: Hashable, Sendable {
        case network(SourceNetwork)
        /// Loopback, a Unix socket or no client.
        ///
        /// It may be any number of clients, so it has no separate share.
        case unattributed

        package init(_ address: SourceAddress?) {
            if let address, !address.isLoopback {
                self = .network(SourceNetwork(address))
            } else {
                self = .unattributed
            }
        }
    }

    package var id: Bits128
    package var priority: Priority
    package var source: Source
    /// The domain of the recipient.
    package var domain: String
    /// The topic of the mail, such as an address's sign-in codes.
    ///
    /// Only the newest mail of a topic is useful; `nil` if the mail supersedes no other.
    package var topic: String?
    /// Whether the source's share stays in use until the expiry, even after the delivery.
    ///
    /// Otherwise a client could detect by its share that the mail had no recipient.
    package var keepsShare: Bool
    /// The expiry of the mail, on the schedule's monotonic clock.
    package var expiresAt: Duration

    package init(
        id: Bits128,
        priority: Priority,
        source: Source,
        domain: String,
        topic: String? = nil,
        keepsShare: Bool = false,
        expiresAt: Duration
    ) {
        self.id = id
        self.priority = priority
        self.source = source
        self.domain = domain
        self.topic = topic
        self.keepsShare = keepsShare
        self.expiresAt = expiresAt
    }
}
