// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire

/// A mail in the queue, and the client that caused it.
struct QueuedMail: Sendable {
    var message: MailMessage
    var source: SourceAddress?
    /// The device or network that asked for the mail's code.
    var origin: String?
    /// Whether the mail is stored in the database.
    var isStored = false

    /// Returns the mail's entry in the schedule.
    func entry(_ id: Bits128, expiresAt: Duration) -> MailEntry {
        let request = MailRequest(
            kind: message.kind,
            recipient: message.recipient,
            source: source,
            origin: origin,
            lifetime: .zero
        )
        return request.entry(id, expiresAt: expiresAt)
    }
}

extension MailRequest {
    /// Returns the mail's entry in the schedule.
    func entry(_ id: Bits128, expiresAt: Duration) -> MailEntry {
        MailEntry(
            id: id,
            priority: kind.isCode ? .code : .notification,
            source: MailEntry.Source(source),
            domain: recipient.text.unicodeScalars.split(separator: "@").last.map(String.init) ?? "",
            topic: kind.isCode ? topic : nil,
            keepsShare: kind == .resetCode,
            expiresAt: expiresAt
        )
    }

    /// A new code replaces the previous one of the same origin, as it has cancelled it (`CodeAttemptTable.insert`).
    ///
    /// Encoded, so that texts are equal only if their bytes are.
    private var topic: String {
        Base64URL.encode(Array("\(kind.rawValue) \(recipient) \(origin ?? "")".utf8))
    }
}
