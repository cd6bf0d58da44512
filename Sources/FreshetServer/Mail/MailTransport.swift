// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire
import Logging

/// A mail with a code.
struct LoginCodeMail: Sendable, Masked {
    var recipient: EmailAddress
    var code: String
    /// Which attempt the code belongs to.
    ///
    /// It is no secret without the code.
    var attempt: String

    var mask: String { "LoginCodeMail(\(recipient), code •••)" }
}

/// Carries mail out of the house.
struct MailTransport: Sendable {
    var send: @Sendable (LoginCodeMail) async throws -> Void

    /// Writes each code to the log instead.
    ///
    /// A configuration for production refuses it.
    static func log(_ log: Logger) -> MailTransport {
        MailTransport { mail in
            log.notice(
                "login code",
                metadata: [
                    "email": "\(mail.recipient)", "code": "\(mail.code)", "attempt": "\(mail.attempt)",
                ]
            )
        }
    }
}
