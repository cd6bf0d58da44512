// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if Logging
    public import FreshetKit
    public import Logging

    extension EventLogSource {
        /// Logs a line for each later event with swift-log, until the source is released.
        ///
        /// - Parameter logger: The app's logger, whose level filters the lines.
        public func log(to logger: Logger) {
            log(from: .debug) { level, line in logger.log(level: Logger.Level(level), "\(line)") }
        }
    }

    extension Logger.Level {
        /// The level of the same name.
        init(_ level: SessionLogLevel) {
            switch level {
            case .debug: self = .debug
            case .info: self = .info
            case .notice: self = .notice
            case .warning: self = .warning
            case .error: self = .error
            }
        }
    }
#endif
