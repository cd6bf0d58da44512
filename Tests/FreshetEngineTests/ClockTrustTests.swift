// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import Testing

@Suite struct `Trust in the clock` {
    private static let start = Timestamp(milliseconds: 1_000_000_000_000)
    private static let day = Duration.seconds(86_400)

    /// A wall clock and a monotonic clock that move together and apart.
    private struct Clocks {
        var trust: ClockTrust
        var wall: Timestamp
        var monotonic = Duration.zero
        var changes: [ClockTrust.Change] = []

        init(
            wall: Timestamp = start,
            stored: Timestamp? = nil,
            databaseClock: Timestamp? = nil
        ) {
            self.wall = wall
            trust = ClockTrust(wall: wall, monotonic: .zero, stored: stored, databaseClock: databaseClock)
        }

        /// Lets time pass, then reads; `jump` sets the wall clock before.
        mutating func read(after span: Duration = .seconds(1), jump: Duration = .zero) -> ClockReading {
            wall = wall + span + jump
            monotonic += span
            let (reading, change) = trust.read(wall: wall, monotonic: monotonic)
            if let change { changes.append(change) }
            return reading
        }
    }

    @Test(arguments: [Duration.seconds(301), day * 40, .seconds(-301), day * -40])
    func `a jump of the wall clock leaves the server's time on the monotonic clock until it is undone`(
        jump: Duration
    ) {
        var clocks = Clocks()
        _ = clocks.read()
        let before = clocks.wall
        let reading = clocks.read(after: .seconds(60), jump: jump)
        #expect(!reading.isTrusted)
        #expect(reading.now == before + .seconds(60))
        #expect(reading.earliest == min(reading.now, clocks.wall))
        #expect(reading.latest == max(reading.now, clocks.wall))
        #expect(clocks.read(after: .seconds(60)).now == before + .seconds(120))
        let after = clocks.read(after: .seconds(60), jump: .zero - jump)
        #expect(after == .trusted(before + .seconds(180)))
        #expect(clocks.changes == [.lost(.jump, by: jump), .agreed])
    }

    /// Until then, times of the other clock may have been stored within the window.
    @Test func `a clock that is trusted again has a trusted window a minute later`() {
        var clocks = Clocks()
        #expect(clocks.read().isWindowTrusted)
        #expect(!clocks.read(jump: Self.day).isWindowTrusted)
        #expect(!clocks.read(after: .seconds(30)).isWindowTrusted)
        #expect(clocks.read(jump: Self.day * -1).isTrusted)
        #expect(!clocks.read(after: .seconds(58)).isWindowTrusted)
        #expect(clocks.read() == .trusted(clocks.wall))
    }

    @Test func `the clock is trusted at the start, and afterwards if it was at the last reading`() {
        var clocks = Clocks()
        #expect(clocks.trust.isTrusted)
        let readings: [(jump: Duration, isTrusted: Bool)] = [
            (.zero, true), (Self.day, false), (.zero, false), (Self.day * -1, true),
        ]
        for (jump, isTrusted) in readings {
            #expect(clocks.read(jump: jump).isTrusted == isTrusted)
            #expect(clocks.trust.isTrusted == isTrusted)
        }
    }

    @Test func `the clock stays trusted after small steps and while it runs slightly fast`() {
        var clocks = Clocks()
        for _ in 1...100 { #expect(clocks.read(after: .seconds(60), jump: .seconds(4)) == .trusted(clocks.wall)) }
        for jump in [300, -300] { #expect(clocks.read(jump: .seconds(jump)).isTrusted) }
    }

    @Test func `the clock stays trusted after the machine was suspended`() {
        var clocks = Clocks()
        #expect(clocks.read(after: Self.day * 3) == .trusted(Self.start + Self.day * 3))
    }

    @Test func `a corrected clock that has run evenly for an hour is trusted, and not before`() {
        var clocks = Clocks()
        _ = clocks.read()
        #expect(!clocks.read(jump: Self.day * 40).isTrusted)
        #expect(!clocks.read(after: .seconds(3599)).isTrusted)
        #expect(clocks.read() == .trusted(clocks.wall, isWindowTrusted: false))
        #expect(clocks.changes == [.lost(.jump, by: Self.day * 40), .settled(by: Self.day * 40)])
    }

    @Test func `each further jump of the clock restarts the hour until the clock is trusted`() {
        var clocks = Clocks()
        _ = clocks.read(jump: Self.day)
        _ = clocks.read(after: .seconds(3000), jump: Self.day)
        #expect(!clocks.read(after: .seconds(3599)).isTrusted)
        #expect(clocks.changes == [.lost(.jump, by: Self.day), .movedAgain(by: Self.day)])
        #expect(clocks.read().isTrusted)
    }

    @Test func `a start without a stored time trusts the wall clock`() {
        var clocks = Clocks()
        #expect(clocks.read().isTrusted)
    }

    @Test(arguments: [Duration.zero, .seconds(300), .seconds(-86_000), day * -1])
    func `a start within a day after the stored time trusts the wall clock`(stored: Duration) {
        var clocks = Clocks(stored: Self.start + stored)
        #expect(clocks.read() == .trusted(clocks.wall))
        #expect(clocks.changes.isEmpty)
    }

    @Test func `a server that starts behind the stored time uses the stored time until the clock is corrected`() {
        var clocks = Clocks(stored: Self.start + Self.day * 40)
        let reading = clocks.read()
        #expect(reading.now == Self.start + Self.day * 40 + .seconds(1))
        #expect(reading.earliest == clocks.wall)
        #expect(!reading.isTrusted)
        // NTP sets it to the true time, and the server was off for half a day.
        #expect(clocks.read(jump: Self.day * 40.5) == .trusted(clocks.wall, isWindowTrusted: false))
        #expect(clocks.changes == [.lost(.behindDatabase, by: Self.day * -40), .agreed])
        // From now on only the tolerance counts.
        #expect(!clocks.read(jump: .seconds(3600)).isTrusted)
    }

    @Test func `a clock far ahead of the stored time is used at the start, but not trusted for an hour`() {
        var clocks = Clocks(stored: Self.start + Self.day * -40)
        let reading = clocks.read()
        #expect(reading.now == clocks.wall)
        #expect(reading.earliest == Self.start + Self.day * -40 + .seconds(1))
        #expect(!reading.isTrusted)
        #expect(clocks.changes == [.lost(.aheadOfDatabase, by: .zero)])
        #expect(!clocks.read(after: .seconds(3599)).isTrusted)
        #expect(clocks.read().isTrusted)
    }

    @Test func `a clock far ahead of the stored time is trusted immediately after its correction`() {
        var clocks = Clocks(stored: Self.start + Self.day * -40)
        #expect(!clocks.read().isTrusted)
        #expect(clocks.read(jump: Self.day * -40) == .trusted(clocks.wall, isWindowTrusted: false))
    }

    @Test func `the server uses the database's clock while the wall clock differs, even after hours`() {
        for difference in [Self.day * 40, Self.day * -40] {
            var clocks = Clocks(stored: Self.start + .seconds(-60), databaseClock: Self.start)
            clocks.wall = clocks.wall + difference
            clocks.trust = ClockTrust(
                wall: clocks.wall,
                monotonic: .zero,
                stored: Self.start + .seconds(-60),
                databaseClock: Self.start
            )
            let reading = clocks.read()
            #expect(!reading.isTrusted)
            #expect(reading.now == Self.start + .seconds(1))
            #expect(!clocks.read(after: .seconds(7200)).isTrusted)
            #expect(clocks.read(jump: .zero - difference) == .trusted(clocks.wall, isWindowTrusted: false))
        }
    }

    @Test(arguments: [(86_400_000, true), (86_400_001, false)])
    func `a start is trusted up to exactly a day after the stored time`(milliseconds: Int, isTrusted: Bool) {
        var clocks = Clocks(stored: Self.start + .milliseconds(-milliseconds))
        #expect(clocks.read().isTrusted == isTrusted)
    }

    @Test(arguments: [300, -300, 301, -301])
    func `a database's clock agrees if it differs by five minutes at most`(seconds: Int) {
        var clocks = Clocks(databaseClock: Self.start + .seconds(seconds))
        #expect(clocks.read().isTrusted == (abs(seconds) <= 300))
    }

    @Test(arguments: [day * 40, day * -40])
    func `without a stored time the database's clock is followed, and the wall clock counts as having jumped`(
        difference: Duration
    ) {
        var clocks = Clocks(databaseClock: Self.start + difference)
        let reading = clocks.read()
        #expect(!reading.isTrusted)
        #expect(reading.now == Self.start + difference + .seconds(1))
        #expect(clocks.changes == [.lost(.jump, by: .zero - difference)])
    }

    @Test func `a database's clock that the stored time contradicts is not followed`() {
        var clocks = Clocks(stored: Self.start + .seconds(-60), databaseClock: Self.start + Self.day * 40)
        let reading = clocks.read()
        #expect(!reading.isTrusted)
        #expect(reading.now == clocks.wall)
        #expect(clocks.changes == [.lost(.databaseClock, by: .zero)])
    }

    @Test func `the database's clock is followed if the stored time contradicts both clocks`() {
        var clocks = Clocks(stored: Self.start + Self.day * -40, databaseClock: Self.start + Self.day * 10)
        let reading = clocks.read()
        #expect(!reading.isTrusted)
        #expect(reading.now == Self.start + Self.day * 10 + .seconds(1))
    }

    @Test func `the server's time continues from the last trusted time, including small steps`() {
        var clocks = Clocks()
        for _ in 1...3 { #expect(clocks.read(after: .seconds(60), jump: .seconds(200)).isTrusted) }
        let last = clocks.wall
        #expect(clocks.read(after: .seconds(60), jump: Self.day).now == last + .seconds(60))
        #expect(clocks.changes == [.lost(.jump, by: Self.day)])
    }

    @Test func `a jump of the database's clock ends the trust in the wall clock, which stays in use`() {
        var clocks = Clocks(stored: Self.start, databaseClock: Self.start)
        #expect(clocks.read().isTrusted)
        clocks.trust.recordDatabaseClock(Self.start + Self.day * 40, monotonic: clocks.monotonic)
        let reading = clocks.read()
        #expect(reading.now == clocks.wall)
        #expect(!reading.isTrusted)
        #expect(clocks.changes == [.lost(.databaseClock, by: .zero)])
        clocks.trust.recordDatabaseClock(clocks.wall, monotonic: clocks.monotonic)
        #expect(clocks.read().isTrusted)
    }

    @Test func `a jump that the database's clock shares is trusted as a correction after an hour`() {
        var clocks = Clocks(stored: Self.start, databaseClock: Self.start)
        _ = clocks.read()
        let reading = clocks.read(jump: Self.day * 40)
        clocks.trust.recordDatabaseClock(clocks.wall, monotonic: clocks.monotonic)
        #expect(!reading.isTrusted)
        #expect(!clocks.read(after: .seconds(3500)).isTrusted)
        #expect(clocks.read(after: .seconds(100)).isTrusted)
    }
}

extension Duration {
    fileprivate static func * (span: Duration, factor: Double) -> Duration {
        .milliseconds(Int64(Double(span.milliseconds) * factor))
    }
}
