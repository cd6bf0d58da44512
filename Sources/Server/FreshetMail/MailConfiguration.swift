// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
package import FreshetEngine

/// The operator's configuration of mail.
package struct MailConfiguration: Equatable, Sendable {
    /// The way in which mails are delivered.
    package enum Backend: Equatable, Sendable {
        /// Codes are written to the log: for development only.
        case log
        /// Mail is disabled, and so is login by code.
        case none
        /// An SMTP server (RFC 5321).
        case smtp(SMTPServer)
        /// A program that reads a mail from its standard input, as `sendmail` does.
        case sendmail(path: String)
    }

    package var backend: Backend
    /// The address of the sender; required for SMTP and `sendmail`.
    package var sender: String?
    /// The limits of the queue.
    package var limits = MailLimits()

    package init(_ backend: Backend, sender: String? = nil) {
        self.backend = backend
        self.sender = sender
    }

    package static let log = MailConfiguration(.log)
    static let none = MailConfiguration(.none)

    /// Refuses a configuration that cannot deliver mail, or would expose it in transit.
    package func validate() throws(MailConfigurationError) {
        switch backend {
        case .log, .none: return
        case .smtp(let server): try server.validate()
        case .sendmail(let path):
            guard path.hasPrefix("/") else {
                throw MailConfigurationError("sendmail: '\(path)' is not an absolute path")
            }
        }
        guard let sender, MailAddress(sender) != nil else {
            throw MailConfigurationError("mail needs a sender's address in mail-from, such as noreply@example.com")
        }
    }

    /// Checks that the program that takes the mails can be executed.
    package func checkProgram() throws(MailConfigurationError) {
        guard case .sendmail(let path) = backend, !FileManager.default.isExecutableFile(atPath: path) else { return }
        throw MailConfigurationError("sendmail: '\(path)' is not an executable file")
    }
}
