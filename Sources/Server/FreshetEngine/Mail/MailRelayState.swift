// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Whether the relay accepts mail, and otherwise the time of the next attempt.
struct MailRelayState: Equatable, Sendable {
    enum Condition: Equatable, Sendable {
        case available
        case unavailable
        case refusing
    }

    private static let longestPause = Duration.seconds(30)

    private(set) var condition = Condition.available
    private(set) var retryAt = Duration.zero
    private var pause = Duration.zero

    /// Records that the relay responded to a mail.
    mutating func succeed() { self = MailRelayState() }

    /// Records a failure of the relay; concurrent attempts count once.
    mutating func fail(isRefusal: Bool, now: Duration) {
        if isRefusal || condition == .available { condition = isRefusal ? .refusing : .unavailable }
        guard now >= retryAt else { return }
        pause = pause == .zero ? .seconds(1) : min(pause * 2, Self.longestPause)
        retryAt = now + pause
    }
}
