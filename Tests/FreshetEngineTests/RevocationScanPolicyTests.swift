// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetEngine

@Suite struct `Scans for ended sessions` {
    private let wall = Timestamp(milliseconds: 1_800_000_000_000)
    private let window = Duration.seconds(660)

    private func policy() -> RevocationScanPolicy { RevocationScanPolicy(window: window, wall: wall, steady: .zero) }

    @Test func `the first scan covers the whole window, and then one every five seconds`() {
        var policy = policy()
        var whole: [Int] = []
        for tenth in 0..<200 {
            let steady = Duration.milliseconds(tenth * 100)
            let scan = policy.next(wall: wall + steady, steady: steady)
            #expect(scan.start == wall + steady - (scan.isFull ? window : RevocationScanPolicy.overlap))
            if scan.isFull { whole.append(tenth) }
            let canForget = policy.finish(scan, lateness: .zero, wall: wall + steady, steady: steady)
            #expect(!canForget)
        }
        #expect(whole == [0, 50, 100, 150])
    }

    @Test func `a failed scan is repeated unchanged`() {
        let policy = policy()
        let scan = policy.next(wall: wall, steady: .zero)
        #expect(scan.isFull)
        #expect(policy.next(wall: wall, steady: .zero) == scan)
    }

    @Test func `frequent scans reach further back while ended sessions are found late`() {
        var policy = policy()
        func scan(_ seconds: Int, lateness: Duration = .zero) -> RevocationScanPolicy.Scan {
            let steady = Duration.seconds(seconds)
            let scan = policy.next(wall: wall + steady, steady: steady)
            _ = policy.finish(scan, lateness: lateness, wall: wall + steady, steady: steady)
            return scan
        }
        #expect(scan(0, lateness: .seconds(45)).isFull)
        #expect(scan(1).start == wall + .seconds(1 - 100))
        #expect(scan(2, lateness: .seconds(45)).start == wall + .seconds(2 - 100))
        #expect(scan(5).isFull)
        // Nothing came late: half as far each time.
        #expect(scan(6).start == wall + .seconds(6 - 55))
        for seconds in stride(from: 10, through: 100, by: 5) { #expect(scan(seconds).isFull) }
        #expect(scan(101).start > wall + .seconds(101 - 11))
    }

    @Test func `a scan covers the whole window after the wall clock is set forward or back`() {
        let policy = policy()
        let forward = policy.next(wall: wall + .seconds(40 * 86_400), steady: .seconds(1))
        #expect(forward.start == wall + .seconds(1) - window)
        let back = policy.next(wall: wall + .seconds(-3600), steady: .seconds(1))
        #expect(back.start == wall + .seconds(-3600) - window)
    }

    @Test(arguments: [(5000, 10_000), (5001, 20_002), (15_000, 40_000)])
    func `an end that is found after more than half of the overlap is late`(lateness: Int, reach: Int) {
        var policy = policy()
        _ = policy.finish(
            policy.next(wall: wall, steady: .zero),
            lateness: .milliseconds(lateness),
            wall: wall,
            steady: .zero
        )
        let scan = policy.next(wall: wall + .seconds(1), steady: .seconds(1))
        #expect(!scan.isFull)
        #expect(scan.start == wall + .seconds(1) - .milliseconds(reach))
    }

    @Test func `the start of a scan does not depend on the steady clock's initial value`() {
        let policy = RevocationScanPolicy(window: window, wall: wall, steady: .seconds(50_000))
        let forward = policy.next(wall: wall + .seconds(40 * 86_400), steady: .seconds(50_001))
        #expect(forward.start == wall + .seconds(1) - window)
    }

    @Test func `scans are 400 milliseconds apart, full ones five seconds, and others go back ten seconds`() {
        #expect(RevocationScanPolicy.interval == .milliseconds(400))
        #expect(RevocationScanPolicy.fullScanInterval == .seconds(5))
        #expect(RevocationScanPolicy.overlap == .seconds(10))
    }

    @Test func `sessions that no scan has found for a whole window may be removed, once per window`() {
        var policy = policy()
        var forgotten: [Int] = []
        for seconds in 0...1400 {
            let steady = Duration.seconds(seconds)
            let scan = policy.next(wall: wall + steady, steady: steady)
            if policy.finish(scan, lateness: .zero, wall: wall + steady, steady: steady) { forgotten.append(seconds) }
        }
        #expect(forgotten == [660, 1320])
    }

    @Test func `a scan that takes long is followed by a longer pause`() {
        #expect(RevocationScanPolicy.pause(after: .zero) == RevocationScanPolicy.interval)
        #expect(RevocationScanPolicy.pause(after: .milliseconds(300)) == .milliseconds(1200))
    }

    @Test func `the pause after a scan is limited, and short after a failed scan`() {
        #expect(RevocationScanPolicy.pause(after: .seconds(15)) == .seconds(2))
        #expect(RevocationScanPolicy.pause(after: .seconds(15), hasFailed: true) == RevocationScanPolicy.interval)
    }
}

extension Timestamp {
    fileprivate static func - (moment: Timestamp, span: Duration) -> Timestamp { moment + (.zero - span) }
}
