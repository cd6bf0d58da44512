// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import Logging
import NIOConcurrencyHelpers

/// Warns of refresh tokens under an unknown key that was never retired, once a minute for each key.
final class UnknownKeyAlarm: Sendable {
    private static let interval = Duration.seconds(60)
    private let warnedAt = NIOLockedValueBox<[UInt8: Timestamp]>([:])

    func report(_ id: UInt8, at now: Timestamp, to log: Logger) {
        let isDue = warnedAt.withLockedValue { warnedAt in
            if let last = warnedAt[id], now - last < Self.interval, now >= last { return false }
            warnedAt[id] = now
            return true
        }
        guard isDue else { return }
        log.error(
            "refresh token signed with an unknown MAC key; answered with 503 and Retry-After",
            metadata: ["key": "mac-\(id)"]
        )
    }
}
