// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire

/// Brings one mail to the next machine, and waits until it has it.
struct MailBackend: Sendable {
    /// Why a mail was not taken.
    struct Fault: Error, Equatable {
        /// Whether another try may do better.
        var isTransient: Bool
        /// Whether it is the relay's trouble, and says nothing about this mail.
        var isRelayFailure = false
        /// For the operator's log; no word of the mail itself.
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

    /// May block for its own time limit; it runs on a thread of the queue.
    var deliver: @Sendable (OutgoingMail) throws(Fault) -> Void
}

/// A mail as it goes over the wire.
struct OutgoingMail: Sendable, Masked {
    var sender: String
    var recipient: String
    /// RFC 5322, lines ended by CR LF.
    var bytes: [UInt8]

    var mask: String { "OutgoingMail(to \(recipient), \(bytes.count) bytes)" }
}
