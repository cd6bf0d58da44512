// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire

/// A plain-text mail to one recipient.
package struct MailMessage: Sendable, Masked {
    /// The purpose of a mail.
    package enum Kind: String, Sendable {
        case loginCode = "login code"
        case resetCode = "reset code"
        case linkCode = "link code"
        case newDevice = "new device"
        case passwordChanged = "password changed"
        case signInAdded = "sign-in added"
        case signInRemoved = "sign-in removed"

        /// Whether the mail contains a code that a user is waiting for.
        var isCode: Bool {
            switch self {
            case .loginCode, .resetCode, .linkCode: true
            case .newDevice, .passwordChanged, .signInAdded, .signInRemoved: false
            }
        }
    }

    let recipient: EmailAddress
    package let kind: Kind
    let subject: String
    let text: String
    /// The code in the text, and its attempt, for the log transport.
    var code: (code: String, attempt: String)?
    /// The time from which the mail is of no use.
    let expiresAt: Timestamp
    /// Whether no account has the recipient's address.
    ///
    /// Such a mail is stored and queued like any other, so that timing reveals nothing, but never sent.
    package var isForNobody = false

    /// A description without the text, which may contain a code.
    var mask: String { "MailMessage(\(kind.rawValue) to \(recipient))" }
}
