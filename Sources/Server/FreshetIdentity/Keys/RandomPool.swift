// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire
import NIOConcurrencyHelpers

/// A pool of random numbers for ids and jitter, drawn thirty-two at a time.
///
/// Otherwise four system calls for each refresh would cost more than the use of the numbers.
///
/// Not for secrets, which must not stay in memory before they are used.
final class RandomPool: RandomNumberGenerator, Sendable {
    private let drawn = NIOLockedValueBox<[UInt64]>([])

    func next() -> UInt64 {
        drawn.withLockedValue { drawn in
            if drawn.isEmpty { drawn = Self.draw() }
            return drawn.removeLast()
        }
    }

    private static func draw() -> [UInt64] {
        var numbers = [UInt64](repeating: 0, count: 32)
        // The most that the system returns in one call; if that fails, each number is drawn separately.
        if numbers.withUnsafeMutableBytes({ getentropy($0.baseAddress, $0.count) }) != 0 {
            var system = SystemRandomNumberGenerator()
            for index in numbers.indices { numbers[index] = system.next() }
        }
        return numbers
    }

    func next() -> Bits128 { Bits128(next(), next()) }

    /// Returns a random number from 0 up to 1.
    func chance() -> Double { Double(next() as UInt64 >> 11) * 0x1p-53 }
}
