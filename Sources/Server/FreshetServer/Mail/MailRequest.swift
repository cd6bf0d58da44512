// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine

/// What is known of a mail before its text.
struct MailRequest: Sendable {
    var kind: MailMessage.Kind
    var recipient: EmailAddress
    /// The client that caused it.
    var source: SourceAddress?
    /// For how long it is of use.
    var lifetime: Duration
}
