// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine
import FreshetWire
package import Logging

/// Accepts mails; the caller is answered before they leave.
package struct MailTransport: Sendable {
    /// Takes room for a mail before the work that leads to it, without looking at the recipient's account.
    ///
    /// It throws `tooManyRequests` for the client's own share, and `unavailable` if no mail can be taken.
    package var reserve: @Sendable (MailRequest) throws(APIError) -> MailReservation
    /// Sends a mail that no request depends on, if there is room.
    package var send: @Sendable (MailMessage, SourceAddress?) -> Void
    /// `nil` for a transport without a queue.
    package var queue: MailQueue?

    /// Delivers what can be delivered at once; stored mail stays in the database.
    package func shutDown() async { await queue?.close() }

    /// Writes each code to the log instead.
    ///
    /// A configuration for production refuses it.
    package static func log(_ log: Logger) -> MailTransport {
        let write = { @Sendable (mail: MailMessage) in
            var metadata: Logger.Metadata = ["email": "\(mail.recipient)"]
            if let (code, attempt) = mail.code {
                metadata["code"] = "\(code)"
                metadata["attempt"] = "\(attempt)"
            }
            // A line for either, so that the time tells nothing here, too.
            log.notice(mail.isForNobody ? "no account, no mail" : "\(mail.kind.rawValue)", metadata: metadata)
        }
        return MailTransport(reserve: { _ in MailReservation(send: write) }, send: { mail, _ in write(mail) })
    }

    /// Has nowhere to send it.
    package static let none = MailTransport(reserve: { _ in MailReservation(send: { _ in }) }, send: { _, _ in })

    /// Delivers from a queue.
    package static func queue(_ queue: MailQueue) -> MailTransport {
        MailTransport(
            reserve: { request throws(APIError) in try queue.reserve(request) },
            send: { queue.send($0, from: $1) },
            queue: queue
        )
    }
}
