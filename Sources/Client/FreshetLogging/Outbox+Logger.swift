// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if Logging
    public import FreshetKit
    public import Logging

    extension Outbox {
        /// Writes a line for each event from now on to a logger of swift-log, for as long as the outbox lives.
        ///
        /// - Parameter logger: The app's logger; its own level decides what is written.
        public func log(to logger: Logger) {
            log(from: .debug) { level, line in logger.log(level: Logger.Level(level), "\(line)") }
        }
    }
#endif
