// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire

/// A mail in the queue, and the client that caused it.
struct QueuedMail: Sendable {
    var message: MailMessage
    var source: SourceAddress?
    /// Whether the mail is stored in the database.
    var isStored = false

    /// Returns the mail's entry in the schedule.
    func entry(_ id: Bits128, expiresAt: Duration) -> MailEntry {
        MailRequest(kind: message.kind, recipient: message.recipient, source: source, lifetime: .zero)
            .entry(id, expiresAt: expiresAt)
    }
}

extension MailRequest {
    /// Returns the mail's entry in the schedule.
    func entry(_ id: Bits128, expiresAt: Duration) -> MailEntry {
        MailEntry(
            id: id,
            priority: kind.isCode ? .code : .notification,
            source: MailEntry.Source(source),
            domain: String(recipient.text.split(separator: "@").last ?? ""),
            // A new code replaces the previous one.
            topic: kind.isCode ? "\(kind.rawValue) \(recipient)" : nil,
            keepsShare: kind == .resetCode,
            expiresAt: expiresAt
        )
    }
}
