// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The purpose of a sleep on a session's clock; only a test clock distinguishes purposes.
package enum SleepPurpose: Sendable {
    /// An operation is in progress and continues after the sleep, such as a refresh between two attempts.
    case pause(StaticString)
    /// The timeout of an operation; the sleep is cancelled when the operation completes before.
    case limit(StaticString)
    /// Work that starts at a time without a caller that waits for it, such as a refresh ahead of expiry.
    case schedule(StaticString)

    /// A short text that follows the kind of sleep.
    package var text: StaticString {
        switch self {
        case .pause(let text), .limit(let text), .schedule(let text): text
        }
    }

    /// Whether an operation waits for the end of the sleep.
    package var isPause: Bool { if case .pause = self { true } else { false } }
}
