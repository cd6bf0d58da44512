// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension Duration {
    /// Returns the duration, reduced by a random fraction up to `share`.
    ///
    /// A lifetime of less than a minute is not reduced: the refreshes of such short-lived tokens spread out without it.
    package func jittered(by share: Double, chance: Double = .random(in: 0...1)) -> Duration {
        guard self >= .seconds(60), share > 0 else { return self }
        let seconds = Double(components.seconds) + Double(components.attoseconds) / 1e18
        return .seconds((seconds * (1 - share * chance)).rounded())
    }

    /// Returns a random time after issue at which a client should refresh a token with this lifetime.
    ///
    /// It is between half and nine tenths of the lifetime; a larger `share` allows earlier times.
    ///
    /// - Returns: `nil` for a lifetime of less than a minute, and if `share` is zero.
    package func refreshHint(spread share: Double, chance: Double = .random(in: 0...1)) -> Duration? {
        guard self >= .seconds(60), share > 0 else { return nil }
        return self * (0.9 - 2 * min(share, 0.2) * chance)
    }
}
