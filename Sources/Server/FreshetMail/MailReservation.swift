// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetDatabase

/// Reserved room in the mail queue.
///
/// The mail is stored in the request's transaction, and sent after its commit. Exactly one of `send` and `cancel` must
/// be called, and only once.
package struct MailReservation: Sendable {
    /// Stores the mail in the transaction of the request.
    package var store: @Sendable (MailMessage, any SQLConnection) throws -> Void = { _, _ in }
    /// Enqueues the stored mail for delivery.
    package var send: @Sendable (MailMessage) -> Void
    /// Releases the room.
    package var cancel: @Sendable () -> Void = {}
}
