// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire

/// Delivers one mail to the next server, and waits until the server has accepted it.
struct MailBackend: Sendable {
    /// The reason that a mail was not accepted.
    struct Fault: Error, Equatable {
        /// Whether a retry may succeed.
        var isTransient: Bool
        /// Whether the relay failed, independently of this mail.
        var isRelayFailure = false
        /// A text for the operator's log; must not contain any part of the mail.
        var reason: String

        var outcome: MailOutcome {
            switch (isRelayFailure, isTransient) {
            case (true, true): .relayUnavailable
            case (true, false): .relayRefused
            case (false, true): .deferred
            case (false, false): .refused
            }
        }
    }

    /// Delivers a mail on a thread of the queue; may block until its own timeout.
    var deliver: @Sendable (OutgoingMail) throws(Fault) -> Void
}

/// A mail in the form in which it is sent.
struct OutgoingMail: Sendable, Masked {
    var sender: String
    var recipient: String
    /// The RFC 5322 message, with CR LF at the end of each line.
    var bytes: [UInt8]

    var mask: String { "OutgoingMail(to \(recipient), \(bytes.count) bytes)" }
}
