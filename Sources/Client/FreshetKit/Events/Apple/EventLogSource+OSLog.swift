// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if canImport(os)
    public import os

    extension EventLogSource {
        /// Logs a line for each later event to the system's log, until the source is released.
        ///
        /// Lines are public: they contain no token, password or request content. The server's message in a refused
        /// refresh is logged unchanged, on one line.
        ///
        /// - Parameter logger: The app's logger, such as `Logger(subsystem: "com.example.app", category: "session")`.
        public func log(to logger: os.Logger) {
            log(from: .debug) { level, line in
                logger.log(level: OSLogType(level), "\(line, privacy: .public)")
            }
        }
    }

    extension OSLogType {
        /// Creates the system's closest log level.
        init(_ level: SessionLogLevel) {
            switch level {
            case .debug: self = .debug
            case .info: self = .info
            case .notice: self = .default
            case .warning, .error: self = .error
            }
        }
    }
#endif
