// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The reason that an accepted mail was removed without being delivered.
package enum MailDropCause: String, CaseIterable, Sendable {
    /// It has expired.
    case expired
    /// The relay rejected it permanently.
    case refused
    /// Too many mails are deferred.
    case noRoom = "no_room"
    /// It was superseded by a newer code for the same purpose.
    case superseded
    /// Its row in the database was sealed by a key that this server does not have.
    case unreadable
    /// Its address or subject cannot be written in a mail.
    case malformed
}
