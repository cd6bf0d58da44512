// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import FreshetKit

extension RequestOutbox: EventLogSource {
    /// Logs a line for each later event, until the outbox is released.
    ///
    ///     outbox.log { level, line in print("[\(level)] \(line)") }
    ///
    /// Each line contains the item, the event, its cause and its consequence, but no content and no token.
    ///
    /// - Parameters:
    ///   - level: The lowest level to log.
    ///   - write: Receives each line, immediately and in order, on any thread. It must not block or use the outbox.
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
    /// The event's severity.
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
