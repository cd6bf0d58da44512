// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Counts a session's events: in total, and per minute for the last hour.
struct StatisticsRecorder {
    /// The maximum window of statistics.
    static let reach = Duration.seconds(3600)
    private static let bucket = Duration.seconds(60)
    private static let mostChanges = 256

    private var total = SessionStatistics()
    /// The minutes with events, the oldest first.
    private var minutes: [(start: Duration, counts: SessionStatistics)] = []
    /// The state changes within the window, the oldest first; never empty.
    private var changes: [(at: Duration, state: SessionState.Name)]

    init(_ state: SessionState, at now: Duration) {
        changes = [(now, state.name)]
    }

    mutating func record(_ kind: SessionEvent.Kind, at now: Duration) {
        total.count(kind)
        if case .stateChanged(let state) = kind { enter(state.name, at: now) }
        let start = Self.bucket * Int(now / Self.bucket)
        if minutes.last?.start != start {
            minutes.removeAll { $0.start + Self.bucket <= now - Self.reach }
            minutes.append((start, SessionStatistics()))
        }
        minutes[minutes.count - 1].counts.count(kind)
    }

    private mutating func enter(_ state: SessionState.Name, at now: Duration) {
        if let last = changes.last { total.timeInState[last.state, default: .zero] += now - last.at }
        changes.append((now, state))
        // The state at the start of the window is kept.
        while changes.count > Self.mostChanges || changes.count > 1 && changes[1].at <= now - Self.reach {
            changes.removeFirst()
        }
    }

    /// Returns the counts since the session object was created.
    func statistics(at now: Duration) -> SessionStatistics {
        var statistics = total
        if let last = changes.last { statistics.timeInState[last.state, default: .zero] += now - last.at }
        return statistics
    }

    /// Returns the counts of the last `window`, in whole minutes.
    func statistics(over window: Duration, at now: Duration) -> SessionStatistics {
        let start = now - min(max(window, .zero), Self.reach)
        var statistics = SessionStatistics()
        for minute in minutes where minute.start + Self.bucket > start { statistics.add(minute.counts) }
        for (index, change) in changes.enumerated() {
            let end = index + 1 < changes.count ? changes[index + 1].at : now
            let time = end - max(change.at, start)
            if time > .zero { statistics.timeInState[change.state, default: .zero] += time }
        }
        return statistics
    }
}
