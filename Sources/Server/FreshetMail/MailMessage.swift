// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine
import FreshetWire

/// A mail to one person, in plain text.
package struct MailMessage: Sendable, Masked {
    /// What it is for.
    package enum Kind: String, Sendable {
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

    package let recipient: EmailAddress
    package let kind: Kind
    package let subject: String
    package let text: String
    /// The code in the text, and the attempt that it belongs to: the log transport tells them.
    package var code: (code: String, attempt: String)?
    /// Nobody wants it any more then.
    package let expiresAt: Timestamp
    /// Nobody has such an account: the mail is written and queued like any other, so that its time tells nothing, and not sent.
    package var isForNobody = false

    /// The text may hold a code.
    package var mask: String { "MailMessage(\(kind.rawValue) to \(recipient))" }
}
