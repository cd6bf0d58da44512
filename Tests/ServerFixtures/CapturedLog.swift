// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Logging
import NIOConcurrencyHelpers
import Testing

/// Keeps what was logged.
package final class CapturedLog: Sendable {
    private let records = NIOLockedValueBox<[[String: String]]>([])
    private let watcher = NIOLockedValueBox<AsyncStream<String>.Continuation?>(nil)

    package init() {}

    package var lines: [[String: String]] { records.withLockedValue { $0 } }

    /// The values of `message` that were logged.
    package var messages: [String] { lines.compactMap { $0["message"] } }

    /// The messages that are logged from now on.
    package func messagesFromNow() -> AsyncStream<String> {
        let (messages, watcher) = AsyncStream.makeStream(of: String.self)
        self.watcher.withLockedValue { $0 = watcher }
        return messages
    }

    /// The first line that is as wanted, once it is written: a server may log after a client has seen the end.
    package func line(where isWanted: ([String: String]) -> Bool) async throws -> [String: String] {
        let messages = messagesFromNow()
        if let line = lines.first(where: isWanted) { return line }
        for await _ in messages {
            if let line = lines.first(where: isWanted) { return line }
        }
        return try #require(nil, "the log ended")
    }

    package var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(log: self) }
        logger.logLevel = .debug
        return logger
    }

    private struct Handler: LogHandler {
        let log: CapturedLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.debug

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            var record = ["message": event.message.description, "level": event.level.rawValue]
            for (name, value) in event.metadata ?? [:] { record[name] = value.description }
            let line = record
            log.records.withLockedValue { $0.append(line) }
            log.watcher.withLockedValue { _ = $0?.yield(event.message.description) }
        }
    }
}
