// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetDatabase

/// Room in the mail queue: the mail is stored with the request's own transaction, and sent after its commit.
///
/// Exactly one of `send` and `cancel` is called, once.
package struct MailReservation: Sendable {
    /// Stores the mail, in the transaction of whatever it belongs to.
    package var store: @Sendable (MailMessage, any SQLConnection) throws -> Void = { _, _ in }
    /// Makes the stored mail ready for delivery.
    package var send: @Sendable (MailMessage) -> Void
    /// Gives the room back.
    package var cancel: @Sendable () -> Void = {}
}
