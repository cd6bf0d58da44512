// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension AuthSession: EventLogSource {
    /// Writes a line for each event from now on, for as long as the session lives.
    ///
    ///     session.log { level, line in print("[\(level)] \(line)") }
    ///
    /// A line says what happened, why, and what comes next, and holds no token.
    ///
    /// - Parameters:
    ///   - level: Events that matter less are left out.
    ///   - write: Takes a line, at once and in order, from any thread. It must return soon and must not use the session.
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
