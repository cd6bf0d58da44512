// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A part of the SDK whose events can be written to a log, as one plain line each.
///
/// ``AuthSession`` is one, and so is the outbox of the product `FreshetOutbox`.
public protocol EventLogSource: Sendable {
    /// Writes a line for each event from now on, for as long as the source lives.
    ///
    /// - Parameters:
    ///   - level: Events that matter less are left out.
    ///   - write: Takes a line, at once and in order, from any thread. It must return soon and must not use the source.
    func log(
        from level: SessionLogLevel,
        to write: @escaping @Sendable (_ level: SessionLogLevel, _ line: String) -> Void
    )
}
