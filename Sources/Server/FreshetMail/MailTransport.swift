// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine
import FreshetWire
import Logging

/// Accepts mails, and delivers them after the caller is answered.
package struct MailTransport: Sendable {
    /// Reserves room for a mail before the request is processed, whether or not there is an account.
    ///
    /// It throws `tooManyRequests` for the client's own share, and `unavailable` if no mail can be accepted.
    package var reserve: @Sendable (MailRequest) throws(APIError) -> MailReservation
    /// Sends a mail that no response depends on, if there is room.
    package var send: @Sendable (MailMessage, SourceAddress?) -> Void
    /// The queue; `nil` for a transport without one.
    package var queue: MailQueue?

    /// Delivers the mails that can be delivered at once; stored mails stay in the database.
    package func shutDown() async { await queue?.close() }

    /// Returns a transport that writes each code to the log instead.
    ///
    /// A production configuration refuses it.
    static func log(_ log: Logger) -> MailTransport {
        let write = { @Sendable (mail: MailMessage) in
            var metadata: Logger.Metadata = ["email": "\(mail.recipient)"]
            if let (code, attempt) = mail.code {
                metadata["code"] = "\(code)"
                metadata["attempt"] = "\(attempt)"
            }
            // Both cases log one line, so that timing reveals nothing.
            log.notice(mail.isForNobody ? "no account, no mail" : "\(mail.kind.rawValue)", metadata: metadata)
        }
        return MailTransport(reserve: { _ in MailReservation(send: write) }, send: { mail, _ in write(mail) })
    }

    /// A transport that discards mails.
    static let none = MailTransport(reserve: { _ in MailReservation(send: { _ in }) }, send: { _, _ in })

    /// Returns a transport that delivers from a queue.
    static func queue(_ queue: MailQueue) -> MailTransport {
        MailTransport(
            reserve: { request throws(APIError) in try queue.reserve(request) },
            send: { queue.send($0, from: $1) },
            queue: queue
        )
    }
}
