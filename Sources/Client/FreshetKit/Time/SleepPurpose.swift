// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The purpose of a sleep on a session's clock; only a test's clock tells them apart.
package enum SleepPurpose: Sendable {
    /// An operation is under way and goes on after the sleep, such as a refresh between two attempts.
    case pause(StaticString)
    /// The longest that an operation may take; the sleep is cancelled when the operation is done before.
    case limit(StaticString)
    /// Work that starts by itself at a time, such as a refresh ahead of expiry; no caller waits for it.
    case schedule(StaticString)

    /// The sleep in a few words that follow its kind.
    package var text: StaticString {
        switch self {
        case .pause(let text), .limit(let text), .schedule(let text): text
        }
    }

    /// Whether an operation waits for the end of the sleep.
    package var isPause: Bool { if case .pause = self { true } else { false } }
}
