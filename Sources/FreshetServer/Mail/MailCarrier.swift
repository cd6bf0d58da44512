// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire

/// Brings one mail to the next machine, and waits until it has it.
struct MailCarrier: Sendable {
    /// Why a mail was not taken.
    struct Fault: Error, Equatable {
        /// Whether another try may do better.
        var isPassing: Bool
        /// For the operator's log; no word of the mail itself.
        var reason: String
    }

    /// May block for its own time limit; it runs on the queue's thread.
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
