// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The result of one delivery attempt.
package enum MailOutcome: Equatable, Sendable {
    case delivered
    /// The mail was not intended to be sent, or cannot be written; the relay was not contacted.
    case discarded
    /// The relay deferred this mail (4xx), or timed out.
    case deferred
    /// The relay rejected this mail permanently (5xx).
    case refused
    /// The relay is unreachable, or accepts no mail at present, regardless of this mail.
    case relayUnavailable
    /// The relay refuses every mail: TLS, certificate or authentication failed.
    case relayRefused
}
