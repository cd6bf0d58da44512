// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if canImport(os)
    public import os

    extension EventLogSource {
        /// Writes a line for each event from now on to the system's log, for as long as the source lives.
        ///
        /// Lines are public: they hold neither a token, a password nor the content of a request. The message of a server that
        /// refuses a refresh stands in them as the server sent it, on one line.
        ///
        /// - Parameter logger: The app's logger, such as `Logger(subsystem: "com.example.app", category: "session")`.
        public func log(to logger: os.Logger) {
            log(from: .debug) { level, line in
                logger.log(level: OSLogType(level), "\(line, privacy: .public)")
            }
        }
    }

    extension OSLogType {
        /// The system's level that comes closest.
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
