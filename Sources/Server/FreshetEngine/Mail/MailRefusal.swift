// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The reason that no further mail is accepted.
package enum MailRefusal: String, Error, CaseIterable, Sendable {
    /// The client's network has used up its share of the queue.
    case source
    /// The recipient's domain has used up its share of the queue.
    case domain
    /// The queue is full.
    case full
    /// The relay refuses every mail, for example because of a wrong password or certificate.
    case relay
}
