// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Logging

/// Prints the log of a development server as sentences instead of JSON.
struct DevelopmentLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .debug
    /// The lowest level of records that have no line of their own.
    let threshold: Logger.Level
    /// Receives each line, on any thread.
    let write: @Sendable (String) -> Void

    init(threshold: Logger.Level, write: @escaping @Sendable (String) -> Void) {
        self.threshold = threshold
        self.write = write
        logLevel = min(threshold, .notice)
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var texts = metadata.merging(event.metadata ?? [:]) { $1 }.mapValues { "\($0)" }
        if let error = event.error { texts["error"] = "\(error)" }
        let line = DevelopmentLine.text("\(event.message)", texts, level: event.level, threshold: threshold)
        if let line { write(line) }
    }
}
