// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The result of one delivery attempt.
package enum MailOutcome: Equatable, Sendable {
    case delivered
    /// The mail was not meant to be sent, or cannot be written; the relay was not asked.
    case discarded
    /// The relay asks to try this mail again later (4xx), or took too long with it.
    case deferred
    /// The relay refuses this mail for good (5xx).
    case refused
    /// The relay cannot be reached, or takes no mail at present. It says nothing about this mail.
    case relayUnavailable
    /// The relay refuses every mail: TLS, certificate or authentication failed.
    case relayRefused
}
