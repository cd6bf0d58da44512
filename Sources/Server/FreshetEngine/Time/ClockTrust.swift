// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Decides whether the wall clock is trusted.
///
/// The wall clock is compared with three others: a monotonic clock, the newest time that the database has stored, and
/// the clock of the database's server if it is another machine's. While they agree, the wall clock is the server's
/// time. When they disagree, the server's time is the last trusted one, advanced by the monotonic clock, until
///
/// - the wall clock agrees with all of them again, or
/// - it has run evenly for ``settlingPeriod`` and the database's clock, if there is one, agrees with it: the jump was a
///   correction. Thus a clock becomes trusted that was wrong for long and has been corrected.
package struct ClockTrust: Equatable, Sendable {
    /// The maximum difference between clocks that agree.
    package static let tolerance = Duration.seconds(300)
    /// The time for which the wall clock must run evenly after a jump to be trusted without the others.
    package static let settlingPeriod = Duration.seconds(3600)
    /// The maximum plausible downtime of a server.
    ///
    /// A clock that is further ahead of the stored time is not trusted at first.
    package static let maximumDowntime = Duration.seconds(86_400)

    /// The reason that the wall clock is not trusted.
    package enum Doubt: String, Equatable, Sendable {
        /// The wall clock jumped relative to the monotonic clock.
        case jump
        /// The wall clock is behind the newest time in the database.
        case behindDatabase = "behind_database"
        /// The wall clock is ahead of the newest time in the database by more than the maximum downtime.
        case aheadOfDatabase = "ahead_of_database"
        /// The clock of the database's server differs.
        case databaseClock = "database_clock"
    }

    /// A change found by a reading of the clocks.
    package enum Change: Equatable, Sendable {
        /// The wall clock is no longer trusted, and differs from the server's time by this much.
        case lost(Doubt, by: Duration)
        /// An untrusted wall clock has jumped again.
        case movedAgain(by: Duration)
        /// The wall clock agrees with the others again.
        case agreed
        /// The wall clock has run evenly for long enough, and is trusted although it differs from the expected time by
        /// this much.
        case settled(by: Duration)
    }

    /// One moment on both clocks.
    private struct Mark: Equatable, Sendable {
        var wall: Timestamp
        var monotonic: Duration

        /// Returns the wall-clock time expected when the monotonic clock shows `monotonic`.
        func advanced(to monotonic: Duration) -> Timestamp { wall + (monotonic - self.monotonic) }
    }

    /// The last trusted time, from this run or from the database.
    private var reference: Mark
    /// Whether ``reference`` was stored by an earlier run, which may have ended long ago.
    private var isStored: Bool
    /// The mark from which the server's time is extrapolated while the wall clock is not trusted.
    private var estimate: Mark
    /// The last reading of the database server's clock.
    private var databaseClock: Mark?
    /// The time since which an untrusted wall clock has run evenly.
    private var evenSince: Mark?
    private var doubt: Doubt?
    /// The monotonic time of the last reading that was not trusted.
    private var lastDoubt: Duration?

    /// Compares the clocks at the start of a server.
    ///
    /// - Parameters:
    ///   - wall: The wall clock's time.
    ///   - monotonic: The monotonic clock's time. The clock must run while the system is suspended.
    ///   - stored: The newest time in the database, stored by a server whose clock was trusted.
    ///   - databaseClock: The time by the clock of the database's server.
    package init(
        wall: Timestamp,
        monotonic: Duration,
        stored: Timestamp? = nil,
        databaseClock: Timestamp? = nil
    ) {
        reference = Mark(wall: stored ?? databaseClock ?? wall, monotonic: monotonic)
        isStored = stored != nil
        self.databaseClock = databaseClock.map { Mark(wall: $0, monotonic: monotonic) }
        estimate = Mark(wall: wall, monotonic: monotonic)
        // If the clocks differ, the one that the stored time permits is used, or else the database's, which all servers
        // share.
        let candidates = [databaseClock, wall].compactMap(\.self)
        let likely = candidates.first { referenceDoubt(of: $0, at: monotonic) == nil } ?? candidates.first ?? wall
        estimate.wall = max(likely, stored ?? likely)
    }

    package var isTrusted: Bool { doubt == nil }

    /// Evaluates a reading of both clocks.
    ///
    /// - Returns: The server's time, and what has changed.
    package mutating func read(wall: Timestamp, monotonic: Duration) -> (reading: ClockReading, change: Change?) {
        let now = Mark(wall: wall, monotonic: monotonic)
        guard let found = referenceDoubt(of: wall, at: monotonic) ?? databaseDoubt(of: wall, at: monotonic) else {
            let change: Change? = doubt == nil ? nil : .agreed
            trust(now)
            return (trusted(now), change)
        }
        let change = examine(now, found)
        if doubt == nil { return (trusted(now), change) }
        lastDoubt = monotonic
        let likely = estimate.advanced(to: monotonic)
        let reading = ClockReading(
            now: likely,
            isTrusted: false,
            earliest: min(likely, wall, reference.advanced(to: monotonic)),
            latest: max(likely, wall)
        )
        return (reading, change)
    }

    /// Records a reading of the database server's clock.
    package mutating func recordDatabaseClock(_ time: Timestamp, monotonic: Duration) {
        databaseClock = Mark(wall: time, monotonic: monotonic)
    }

    // MARK: - An untrusted clock

    private mutating func examine(_ now: Mark, _ found: Doubt) -> Change? {
        guard doubt != nil, let since = evenSince else {
            (doubt, evenSince) = (found, now)
            return .lost(found, by: now.wall - estimate.advanced(to: now.monotonic))
        }
        let drift = now.wall - since.advanced(to: now.monotonic)
        guard Self.agree(drift) else {
            (doubt, evenSince) = (found, now)
            return .movedAgain(by: drift)
        }
        guard now.monotonic - since.monotonic >= Self.settlingPeriod,
            databaseDoubt(of: now.wall, at: now.monotonic) == nil
        else { return nil }
        let difference = now.wall - estimate.advanced(to: now.monotonic)
        trust(now)
        return .settled(by: difference)
    }

    /// Returns a reading of the trusted clock, which may have been trusted for a moment only.
    private func trusted(_ now: Mark) -> ClockReading {
        let time = lastDoubt.map { now.monotonic - $0 }
        return .trusted(now.wall, isWindowTrusted: time.map { $0 >= ClockReading.window } ?? true)
    }

    private mutating func trust(_ now: Mark) {
        reference = now
        estimate = now
        isStored = false
        doubt = nil
        evenSince = nil
    }

    // MARK: - The other clocks

    private func referenceDoubt(of wall: Timestamp, at monotonic: Duration) -> Doubt? {
        let ahead = wall - reference.advanced(to: monotonic)
        if ahead < .zero - Self.tolerance { return isStored ? .behindDatabase : .jump }
        if ahead > (isStored ? Self.maximumDowntime : Self.tolerance) { return isStored ? .aheadOfDatabase : .jump }
        return nil
    }

    private func databaseDoubt(of wall: Timestamp, at monotonic: Duration) -> Doubt? {
        guard let databaseClock else { return nil }
        return Self.agree(wall - databaseClock.advanced(to: monotonic)) ? nil : .databaseClock
    }

    private static func agree(_ difference: Duration) -> Bool {
        difference <= tolerance && difference >= .zero - tolerance
    }
}
