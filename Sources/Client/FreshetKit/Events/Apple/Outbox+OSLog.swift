// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if canImport(os)
    public import os

    extension Outbox {
        /// Writes a line for each event from now on to the system's log, for as long as the outbox lives.
        ///
        /// Lines are public: they name an item's ID and its lane, and hold neither its content nor a token.
        ///
        /// - Parameter logger: The app's logger, such as `Logger(subsystem: "com.example.app", category: "outbox")`.
        public func log(to logger: os.Logger) {
            log(from: .debug) { level, line in
                logger.log(level: OSLogType(level), "\(line, privacy: .public)")
            }
        }
    }
#endif
