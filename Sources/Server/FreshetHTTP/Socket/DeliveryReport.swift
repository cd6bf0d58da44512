// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// What became of a message that was published.
package struct DeliveryReport: Equatable, Sendable {
    /// The sockets that were open and meant.
    package var addressed: Int
    /// The sockets that the message was written to: every byte is the operating system's, in order, behind all that was
    /// written before.
    ///
    /// What a connection that dies then takes along with it cannot be known here; only a client's own word can tell.
    package var written: Int
}
