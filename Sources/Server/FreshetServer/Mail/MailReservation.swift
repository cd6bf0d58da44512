// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Room in the mail queue: the mail is stored with the request's own transaction, and sent after its commit.
///
/// Exactly one of `send` and `cancel` is called, once.
struct MailReservation: Sendable {
    /// Stores the mail, in the transaction of whatever it belongs to.
    var store: @Sendable (MailMessage, any SQLConnection) throws -> Void = { _, _ in }
    /// Makes the stored mail ready for delivery.
    var send: @Sendable (MailMessage) -> Void
    /// Gives the room back.
    var cancel: @Sendable () -> Void = {}
}
