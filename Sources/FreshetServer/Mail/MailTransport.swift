// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Logging

/// Takes mail without making anybody wait: whoever asked for it is answered before it leaves, and whatever becomes of it.
struct MailTransport: Sendable {
    var send: @Sendable (MailMessage) -> Void
    /// Waits a moment for what is on its way.
    var shutDown: @Sendable () async -> Void = {}

    /// Writes each code to the log instead.
    ///
    /// A configuration for production refuses it.
    static func log(_ log: Logger) -> MailTransport {
        MailTransport { mail in
            var metadata: Logger.Metadata = ["email": "\(mail.recipient)"]
            if let (code, attempt) = mail.code {
                metadata["code"] = "\(code)"
                metadata["attempt"] = "\(attempt)"
            }
            // A line for either, so that the time tells nothing here, too.
            log.notice(mail.isForNobody ? "no account, no mail" : "\(mail.kind.rawValue)", metadata: metadata)
        }
    }

    /// Has nowhere to send it.
    static let none = MailTransport { _ in }

    /// Lets a carrier deliver from a queue.
    static func queue(_ queue: MailQueue) -> MailTransport {
        MailTransport(send: { queue.add($0) }, shutDown: { await queue.close() })
    }
}
