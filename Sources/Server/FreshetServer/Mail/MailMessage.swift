// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire

/// A mail to one person, in plain text.
struct MailMessage: Sendable, Masked {
    /// What it is for.
    enum Kind: String, Sendable {
        case loginCode = "login code"
        case resetCode = "reset code"
        case linkCode = "link code"
        case newDevice = "new device"
        case passwordChanged = "password changed"
        case signInAdded = "sign-in added"
        case signInRemoved = "sign-in removed"

        /// Whether a person waits for the code in it.
        var isCode: Bool {
            switch self {
            case .loginCode, .resetCode, .linkCode: true
            case .newDevice, .passwordChanged, .signInAdded, .signInRemoved: false
            }
        }
    }

    let recipient: EmailAddress
    let kind: Kind
    let subject: String
    let text: String
    /// The code in the text, and the attempt that it belongs to: the log transport tells them.
    var code: (code: String, attempt: String)?
    /// Nobody wants it any more then.
    let expiresAt: Timestamp
    /// Nobody has such an account: the mail is written and queued like any other, so that its time tells nothing, and not sent.
    var isForNobody = false

    /// The text may hold a code.
    var mask: String { "MailMessage(\(kind.rawValue) to \(recipient))" }
}
