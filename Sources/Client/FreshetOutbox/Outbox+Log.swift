// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import FreshetKit

extension Outbox: EventLogSource {
    /// Writes a line for each event from now on, for as long as the outbox lives.
    ///
    ///     outbox.log { level, line in print("[\(level)] \(line)") }
    ///
    /// A line says what happened to which item, why, and what comes next. It holds neither content nor token.
    ///
    /// - Parameters:
    ///   - level: Events that matter less are left out.
    ///   - write: Takes a line, at once and in order, from any thread. It must return soon and must not use the outbox.
    public func log(
        from level: SessionLogLevel = .info,
        to write: @escaping @Sendable (_ level: SessionLogLevel, _ line: String) -> Void
    ) {
        broadcaster.observe { event in
            let eventLevel = event.kind.logLevel
            if eventLevel >= level { write(eventLevel, event.description) }
        }
    }
}

extension OutboxEvent.Kind {
    /// How much it matters to a person who reads a log.
    public var logLevel: SessionLogLevel {
        switch self {
        case .sending: .debug
        case .enqueued, .delivered, .gone, .resumed, .othersWaiting(0), .held(.signedOut): .info
        case .retrying, .othersWaiting: .notice
        case .held: .warning
        case .dead: .error
        }
    }
}
