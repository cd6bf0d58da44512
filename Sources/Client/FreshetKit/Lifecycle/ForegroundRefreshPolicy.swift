// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Schedules refreshes while the app is in the foreground.
///
/// A pure rule; the driver runs the timer.
struct ForegroundRefreshPolicy: Equatable, Sendable {
    /// The maximum interval of a timer, after which the schedule is computed again.
    static let longestSleep = Duration.seconds(3600)

    var phase = SessionPhase.unattended
    var network = NetworkReachability()

    /// The session's next scheduled action.
    enum Need: Equatable, Sendable {
        case nothing
        /// A refresh ahead of the token's expiry.
        case refresh(from: Duration)
        /// Another attempt to read a store that was unavailable.
        case recheckStore(at: Duration)
    }

    /// Returns the time of the next action; `nil` for none.
    func wakeTime(for need: Need, now: Duration) -> Duration? {
        guard phase == .foreground else { return nil }
        switch need {
        case .nothing: return nil
        case .recheckStore(let time): return min(time, now + Self.longestSleep)
        case .refresh(let time): return network.isUp ? min(time, now + Self.longestSleep) : nil
        }
    }
}
