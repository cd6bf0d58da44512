// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import SeededRandom

/// The lifetimes of sessions, in seconds, so short that they expire within a history.
struct SessionLifetimes: Codable, Sendable, Equatable {
    /// The idle timeout; `nil` for the usual one.
    var idle: Int?
    /// The absolute timeout; `nil` for the usual one.
    var absolute: Int?
    /// The time for which ended sessions are kept.
    var retention: Int

    /// Whether servers accept these lifetimes.
    var isValid: Bool { (idle ?? 1) > 0 && (absolute ?? 1) > 0 && retention >= 0 }

    /// The lifetimes in plain words.
    var text: String {
        let timeouts =
            idle.map { "sessions expire after \($0) s without a refresh, and \(absolute ?? 0) s in all; " } ?? ""
        return timeouts + "ended sessions are kept for \(retention) s"
    }
}

extension HistoryPlan {
    /// Draws lifetimes of sessions that end within a history, in a quarter of the histories.
    ///
    /// A clock that jumps by less than a day while its server is down is trusted, so that such histories keep the usual
    /// timeouts: by the longest jumps, sessions expire and are old enough to be removed.
    mutating func drawLifetimes() {
        var random = SeededRandomStream(seed: seed, device: 0, matter: 130)
        guard random.number(in: 0...(hasClockJump ? 1 : 3)) == 0 else { return }
        guard !hasClockJump else {
            lifetimes = SessionLifetimes(retention: 86_400)
            return
        }
        let access = Int(accessLifetime.components.seconds)
        let idle = max(access, random.number(in: 120...1800))
        lifetimes = SessionLifetimes(
            idle: idle,
            absolute: idle * random.number(in: 1...6),
            retention: [60, 600, 3600][random.number(in: 0...2)]
        )
    }
}
