// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetKit

/// A reproducible source of random numbers (SplitMix64), shared by concurrent operations.
final class RandomStream: Sendable {
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    private let generator: Locked<Generator>

    init(seed: UInt64) { generator = Locked(Generator(state: seed)) }

    func int(_ range: ClosedRange<Int>) -> Int { generator.withLock { Int.random(in: range, using: &$0) } }

    /// Whether something that happens `count` times in a thousand happens now.
    func happens(perMille count: Int) -> Bool { int(1...1000) <= count }

    func element<Element>(of elements: [Element]) -> Element { elements[int(0...elements.count - 1)] }

    /// A pause of at most `milliseconds`, short ones more often.
    func pause(upTo milliseconds: Int) -> Duration { .microseconds(int(0...milliseconds * 1000) * int(0...100) / 100) }
}
