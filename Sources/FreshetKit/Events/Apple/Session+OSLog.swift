// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if canImport(os)
    public import os

    extension Session {
        /// Writes a line for each event from now on to the system's log, for as long as the session lives.
        ///
        /// Lines are public: they hold no token, no password and no address.
        ///
        /// - Parameter logger: The app's logger, such as `Logger(subsystem: "com.example.app", category: "session")`.
        public func log(to logger: os.Logger) {
            log(from: .debug) { level, line in
                let type: OSLogType =
                    switch level {
                    case .debug: .debug
                    case .info: .info
                    case .notice: .default
                    case .warning, .error: .error
                    }
                logger.log(level: type, "\(line, privacy: .public)")
            }
        }
    }
#endif
