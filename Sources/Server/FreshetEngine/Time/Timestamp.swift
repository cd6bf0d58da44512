// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A time by the server's clock, in whole milliseconds since 1970.
package struct Timestamp: Hashable, Comparable, Sendable {
    package var milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The time in seconds since 1970, as in JSON and JWTs.
    package var seconds: Double { Double(milliseconds) / 1000 }

    package static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    package static func + (moment: Timestamp, span: Duration) -> Timestamp {
        Timestamp(milliseconds: moment.milliseconds + span.milliseconds)
    }

    /// The span from `start` to `end`; negative if the clock went back.
    package static func - (end: Timestamp, start: Timestamp) -> Duration {
        .milliseconds(end.milliseconds - start.milliseconds)
    }
}

extension Duration {
    /// The duration in whole milliseconds, rounded towards zero.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }

    /// The duration in whole seconds, rounded towards zero, as in `expires_in` and `Retry-After`.
    package var wholeSeconds: Int { Int(components.seconds) }
}
