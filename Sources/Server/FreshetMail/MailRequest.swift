// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine

/// The properties of a mail that are known before its text.
package struct MailRequest: Sendable {
    var kind: MailMessage.Kind
    var recipient: EmailAddress
    /// The client that caused the mail.
    var source: SourceAddress?
    /// The time for which the mail is of use.
    var lifetime: Duration

    package init(
        kind: MailMessage.Kind,
        recipient: EmailAddress,
        source: SourceAddress? = nil,
        lifetime: Duration
    ) {
        self.kind = kind
        self.recipient = recipient
        self.source = source
        self.lifetime = lifetime
    }
}
