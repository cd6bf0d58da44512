// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension Duration {
    /// Shorter by a share that chance takes, and never longer.
    ///
    /// A life of less than a minute stays as it is: a crowd on it does not come all at once for long.
    package func jittered(by share: Double, chance: Double = .random(in: 0...1)) -> Duration {
        guard self >= .seconds(60), share > 0 else { return self }
        let seconds = Double(components.seconds) + Double(components.attoseconds) / 1e18
        return .seconds((seconds * (1 - share * chance)).rounded())
    }

    /// When a token with this life is best refreshed: by chance in a span before its last tenth.
    ///
    /// - Returns: `nil` for a life that is too short to spread anything over.
    package func refreshHint(spread share: Double, chance: Double = .random(in: 0...1)) -> Duration? {
        guard self >= .seconds(60), share > 0 else { return nil }
        return self * (0.9 - 2 * min(share, 0.2) * chance)
    }
}
