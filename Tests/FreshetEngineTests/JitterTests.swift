// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import Testing

@Suite struct `Jitter` {
    @Test func `jitter reduces access token lifetimes by a random share and never extends them`() {
        let whole = Duration.seconds(600)
        #expect(whole.jittered(by: 0.05, chance: 0) == whole)
        #expect(whole.jittered(by: 0.05, chance: 1) == .seconds(570))
        #expect(Duration.seconds(30).jittered(by: 0.05, chance: 1) == .seconds(30))
        let lives = Set((1...200).map { _ in whole.jittered(by: 0.05) })
        #expect(lives.count > 10)
        #expect(lives.allSatisfy { $0 <= whole && $0 >= .seconds(570) })
    }

    @Test func `a lifetime is reduced to whole seconds, and not changed at all without a share`() {
        let whole = Duration.milliseconds(90_500)
        #expect(whole.jittered(by: 0.5, chance: 1) == .seconds(45))
        for share in [0, -0.5] { #expect(whole.jittered(by: share, chance: 1) == whole) }
    }

    @Test func `the times at which clients should refresh differ`() {
        let hour = Duration.seconds(3600)
        #expect(Set((1...200).map { _ in hour.refreshHint(spread: 0.2) }).count > 10)
    }
}
