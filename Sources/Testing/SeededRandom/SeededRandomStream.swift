// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A reproducible random stream: SplitMix64, which depends only on its seed.
package struct SeededRandomStream: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    /// Creates the stream for one purpose of one device, independent of all other streams.
    package init(seed: UInt64, device: Int, matter: Int) {
        let place = UInt64(truncatingIfNeeded: device) << 32 ^ UInt64(truncatingIfNeeded: matter)
        state = Self.mixed(seed ^ Self.mixed(place &+ 0x9E37_79B9_7F4A_7C15))
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mixed(state)
    }

    private static func mixed(_ bits: UInt64) -> UInt64 {
        var bits = bits
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }

    /// Returns a uniformly distributed number from 0 up to, but not including, 1.
    package mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// Returns an exponentially distributed number with mean 1.
    ///
    /// It uses von Neumann's method, which needs only comparisons: logarithms differ in their last digit between
    /// platforms.
    package mutating func exponential() -> Double {
        var whole = 0.0
        while true {
            let first = uniform()
            var (last, length) = (first, 1)
            while true {
                let next = uniform()
                guard next < last else { break }
                (last, length) = (next, length + 1)
            }
            if !length.isMultiple(of: 2) { return whole + first }
            whole += 1
        }
    }

    /// Returns a uniformly distributed integer in a range.
    package mutating func number(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + min(Int(uniform() * Double(range.count)), range.count - 1)
    }
}
