// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire

/// Formats a mail according to RFC 5322 and RFC 2045.
struct MailFormat: Sendable {
    /// The address of the sender.
    let sender: MailAddress

    /// Returns a mail in the format of SMTP.
    ///
    /// - Returns: `nil` if the mail's recipient or subject could inject other header fields.
    func write(_ mail: MailMessage, at now: Timestamp) -> OutgoingMail? {
        guard let recipient = MailAddress(mail.recipient.text), let subject = Self.subject(mail.subject) else {
            return nil
        }
        let lines = mail.text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let isPlain = mail.text.utf8.allSatisfy { $0 < 0x7F } && lines.allSatisfy { $0.utf8.count <= 76 }
        let body =
            isPlain
            ? lines.joined(separator: "\r\n") + "\r\n"
            : Data(lines.joined(separator: "\r\n").utf8).base64EncodedString(options: [
                .lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed,
            ]) + "\r\n"
        let id = Intent.random().text
        let head = [
            "Date: \(Self.date(now))", "From: <\(sender.text)>", "To: <\(recipient.text)>", "Subject: \(subject)",
            "Message-ID: <\(id)@\(sender.domain)>", "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: \(isPlain ? "7bit" : "base64")", "Auto-Submitted: auto-generated",
        ]
        let text = head.joined(separator: "\r\n") + "\r\n\r\n" + body
        return OutgoingMail(sender: sender.text, recipient: recipient.text, bytes: Array(text.utf8))
    }

    /// Returns a subject, encoded by RFC 2047 if it is not ASCII; `nil` if it has control characters.
    private static func subject(_ text: String) -> String? {
        guard (1...100).contains(text.utf8.count), !text.unicodeScalars.contains(where: \.isControl) else { return nil }
        if text.utf8.allSatisfy({ $0 < 0x7F }) { return text }
        // An encoded word has at most 75 characters, so a long subject is truncated.
        return "=?utf-8?B?\(Data(text.prefix(11).utf8).base64EncodedString())?="
    }

    private static func date(_ now: Timestamp) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let units: Set<Calendar.Component> = [.weekday, .day, .month, .year, .hour, .minute, .second]
        let parts = calendar.dateComponents(units, from: Date(timeIntervalSince1970: now.seconds))
        func two(_ number: Int?) -> String { String(100 + (number ?? 0)).suffix(2).description }
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let (day, month) = (days[(parts.weekday ?? 1) - 1], months[(parts.month ?? 1) - 1])
        let time = "\(two(parts.hour)):\(two(parts.minute)):\(two(parts.second))"
        return "\(day), \(two(parts.day)) \(month) \(parts.year ?? 0) \(time) +0000"
    }
}
