// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension AuthSession: EventLogSource {
    /// Logs a line for each later event, until the session is released.
    ///
    ///     session.log { level, line in print("[\(level)] \(line)") }
    ///
    /// Each line contains the event, its cause and its consequence, and never a token.
    ///
    /// - Parameters:
    ///   - level: The lowest level to log.
    ///   - write: Receives each line, immediately and in order, on any thread. It must not block or use the session.
    public func log(
        from level: SessionLogLevel = .info,
        to write: @escaping @Sendable (_ level: SessionLogLevel, _ line: String) -> Void
    ) {
        observe { event in
            let eventLevel = event.kind.logLevel
            if eventLevel >= level { write(eventLevel, event.description) }
        }
    }
}
