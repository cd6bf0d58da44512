// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Decides when a session that its user looks at does something by itself.
///
/// It is a pure rule; the driver keeps the timer.
struct ForegroundRefreshPolicy: Equatable, Sendable {
    /// No timer runs longer than this: what was decided is decided again after every long sleep.
    static let longestSleep = Duration.seconds(3600)

    var phase = SessionPhase.unattended
    var network = NetworkReachability()

    /// What the session needs next.
    enum Need: Equatable, Sendable {
        case nothing
        /// A refresh ahead of the token's end.
        case refresh(from: Duration)
        /// Another look into a store that gave no answer.
        case recheckStore(at: Duration)
    }

    /// When to wake up; `nil` for not at all.
    func wakeTime(for need: Need, now: Duration) -> Duration? {
        guard phase == .foreground else { return nil }
        switch need {
        case .nothing: return nil
        case .recheckStore(let time): return min(time, now + Self.longestSleep)
        case .refresh(let time): return network.isUp ? min(time, now + Self.longestSleep) : nil
        }
    }
}
