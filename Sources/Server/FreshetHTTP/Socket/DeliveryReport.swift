// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The result of publishing a message.
struct DeliveryReport: Equatable, Sendable {
    /// The number of open sockets that the message was addressed to.
    var addressed: Int
    /// The number of sockets whose message the operating system has accepted.
    ///
    /// The system has accepted every byte, in order and after all earlier writes. The bytes may still be lost if the
    /// connection fails afterwards; only an acknowledgement by the client can confirm delivery.
    var written: Int
}
