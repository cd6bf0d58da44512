// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine

/// The properties of a mail that are known before its text.
package struct MailRequest: Sendable {
    var kind: MailMessage.Kind
    var recipient: EmailAddress
    /// The client that caused the mail.
    var source: SourceAddress?
    /// The device or network that asked for a code: a new code replaces only those of the same origin.
    var origin: String?
    /// The time for which the mail is of use.
    var lifetime: Duration

    package init(
        kind: MailMessage.Kind,
        recipient: EmailAddress,
        source: SourceAddress? = nil,
        origin: String? = nil,
        lifetime: Duration
    ) {
        self.kind = kind
        self.recipient = recipient
        self.source = source
        self.origin = origin
        self.lifetime = lifetime
    }
}
