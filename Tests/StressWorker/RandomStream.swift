// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetKit
import SeededRandom

/// A reproducible source of random numbers (SplitMix64), shared by concurrent operations.
final class RandomStream: Sendable {
    private let generator: Locked<SeededRandomStream>

    init(seed: UInt64) { generator = Locked(SeededRandomStream(seed: seed)) }

    func int(_ range: ClosedRange<Int>) -> Int { generator.withLock { Int.random(in: range, using: &$0) } }

    /// Whether something that happens `count` times in a thousand happens now.
    func happens(perMille count: Int) -> Bool { int(1...1000) <= count }

    func element<Element>(of elements: [Element]) -> Element { elements[int(0...elements.count - 1)] }

    /// A pause of at most `milliseconds`, short ones more often.
    func pause(upTo milliseconds: Int) -> Duration { .microseconds(int(0...milliseconds * 1000) * int(0...100) / 100) }
}
