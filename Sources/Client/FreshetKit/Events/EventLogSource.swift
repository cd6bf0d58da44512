// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A type whose events can be logged, one line per event.
///
/// ``AuthSession`` conforms to it, and so does the outbox of the product `FreshetOutbox`.
public protocol EventLogSource: Sendable {
    /// Logs a line for each later event, until the source is released.
    ///
    /// - Parameters:
    ///   - level: The lowest level to log.
    ///   - write: Receives each line, immediately and in order, on any thread. It must not block or use the source.
    func log(
        from level: SessionLogLevel,
        to write: @escaping @Sendable (_ level: SessionLogLevel, _ line: String) -> Void
    )
}
