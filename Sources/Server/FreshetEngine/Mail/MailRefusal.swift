// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Why no further mail is accepted.
package enum MailRefusal: String, Error, CaseIterable, Sendable {
    /// The client's own network has its share of the queue in use.
    case source
    /// The recipient's domain has its share of the queue in use.
    case domain
    /// The queue is full.
    case full
    /// The relay refuses every mail, as for a wrong password or certificate.
    case relay
}
