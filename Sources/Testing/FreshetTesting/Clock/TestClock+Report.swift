// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetKit

extension TestClock {
    /// Returns the report of a long pause; `nil` if it was reported and nothing has changed since.
    func stallReport() -> String? {
        let isNew = state.withLock { state in
            defer { state.reported = state.version }
            return state.reported != state.version
        }
        guard isNew else { return nil }
        return "Nothing moves this TestClock; clock.skipPauses { ... } or clock.advance(by:) does.\n" + summary
    }

    /// The time, the sleepers and the open requests.
    var summary: String {
        let (now, sleepers, sources) = state.withLock { state in
            (state.now.offset, state.order.map(\.value), state.sources.compactMap(\.source))
        }
        var lines = ["  now: \(now.text)"]
        lines += sleepers.map { sleeper in
            let kind =
                switch sleeper.purpose {
                case .pause: "a pause"
                case .limit: "a time limit"
                case .schedule: "a timer"
                }
            return
                "  asleep: \(kind) \(sleeper.purpose.text), \(sleeper.asked.text), until \(sleeper.deadline.offset.text)"
        }
        let requests = sources.flatMap(\.openRequests)
        lines += requests.map { "  open request: \($0)" }
        if sleepers.isEmpty { lines.append("  no task sleeps") }
        if requests.isEmpty { lines.append("  no request is open") }
        return lines.joined(separator: "\n")
    }
}

extension Swift.Duration {
    /// The duration in seconds, rounded to the millisecond, in its shortest form.
    var text: String {
        let milliseconds = (inSeconds * 1000).rounded()
        let seconds = milliseconds / 1000
        return seconds == seconds.rounded() ? "\(Int(seconds)) s" : "\(seconds) s"
    }
}
