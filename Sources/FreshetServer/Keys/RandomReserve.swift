// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import FreshetWire
import NIOConcurrencyHelpers

/// Random numbers for ids and for chance, drawn a few hundred at a time: four calls of the system's for each refresh cost
/// more than all else that is done with them.
///
/// Not for secrets, which are not to lie about before they are used.
final class RandomReserve: RandomNumberGenerator, Sendable {
    private let drawn = NIOLockedValueBox<[UInt64]>([])

    func next() -> UInt64 {
        drawn.withLockedValue { drawn in
            if drawn.isEmpty {
                let bytes = SymmetricKey(size: SymmetricKeySize(bitCount: 64 * 256))
                drawn = bytes.withUnsafeBytes { Array($0.bindMemory(to: UInt64.self)) }
            }
            return drawn.removeLast()
        }
    }

    func next() -> Bits128 { Bits128(next(), next()) }

    /// A share of 1.
    func chance() -> Double { Double(next() as UInt64 >> 11) * 0x1p-53 }
}
