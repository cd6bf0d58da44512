// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine

/// How mail leaves, as the operator decides.
package struct MailConfiguration: Equatable, Sendable {
    /// Who takes it.
    package enum Backend: Equatable, Sendable {
        /// Codes are written to the log: for development only.
        case log
        /// There is no mail, and so no login by code.
        case none
        /// A server that speaks SMTP (RFC 5321).
        case smtp(SMTPServer)
        /// A program that takes a mail on standard input, as `sendmail` does.
        case sendmail(path: String)
    }

    package var backend: Backend
    /// The address that mails come from; needed where they leave the house.
    package var sender: String?
    /// The bounds of the queue.
    package var limits = MailLimits()

    package init(_ backend: Backend, sender: String? = nil) {
        self.backend = backend
        self.sender = sender
    }

    package static let log = MailConfiguration(.log)
    package static let none = MailConfiguration(.none)

    /// Refuses what could not be delivered, or would be read on its way.
    package func validate() throws(MailConfigurationError) {
        switch backend {
        case .log, .none: return
        case .smtp(let server): try server.validate()
        case .sendmail(let path):
            guard path.hasPrefix("/") else { throw MailConfigurationError("sendmail: '\(path)' is no absolute path") }
        }
        guard let sender, MailAddress(sender) != nil else {
            throw MailConfigurationError("mail needs the address that it comes from, such as noreply@example.com")
        }
    }
}
