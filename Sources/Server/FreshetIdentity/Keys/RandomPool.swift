// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire
import NIOConcurrencyHelpers

/// Random numbers for ids and for chance, drawn thirty-two at a time: four calls of the system's for each refresh cost
/// more than all else that is done with them.
///
/// Not for secrets, which are not to lie about before they are used.
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
        // As much as the system gives at once; a system that gives nothing is asked for each number.
        if numbers.withUnsafeMutableBytes({ getentropy($0.baseAddress, $0.count) }) != 0 {
            var system = SystemRandomNumberGenerator()
            for index in numbers.indices { numbers[index] = system.next() }
        }
        return numbers
    }

    func next() -> Bits128 { Bits128(next(), next()) }

    /// A share of 1.
    func chance() -> Double { Double(next() as UInt64 >> 11) * 0x1p-53 }
}
