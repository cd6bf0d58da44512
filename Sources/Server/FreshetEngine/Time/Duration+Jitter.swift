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

    /// Returns a random time for the refresh of a token with this lifetime, within a span that ends at its last tenth.
    ///
    /// - Returns: `nil` for a lifetime that is too short to be spread.
    package func refreshHint(spread share: Double, chance: Double = .random(in: 0...1)) -> Duration? {
        guard self >= .seconds(60), share > 0 else { return nil }
        return self * (0.9 - 2 * min(share, 0.2) * chance)
    }
}
