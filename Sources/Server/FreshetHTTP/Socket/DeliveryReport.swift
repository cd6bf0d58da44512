// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The result of publishing a message.
struct DeliveryReport: Equatable, Sendable {
    /// The number of open sockets that the message was addressed to.
    var addressed: Int
    /// The number of sockets whose message the operating system has accepted.
    ///
    /// Every byte, in order, after all earlier writes. A connection that fails afterwards may still lose them; only an
    /// acknowledgement by the client can confirm delivery.
    var written: Int
}
