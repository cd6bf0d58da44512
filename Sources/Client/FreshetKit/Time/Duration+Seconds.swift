// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension Duration {
    /// This duration in seconds.
    package var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }

    /// The longest time that anything here waits or lasts: ten years.
    static let longest = Duration.seconds(10 * 365 * 86_400)

    /// This duration within zero and ten years: whatever was read or given, sums with it cannot overflow.
    var bounded: Duration { min(max(self, .zero), .longest) }

    /// A time in seconds within zero and ten years; zero for what is no number.
    static func bounded(seconds: Double) -> Duration {
        seconds >= 0 ? .seconds(min(seconds, longest.inSeconds)) : .zero
    }

    /// Seconds with at most one decimal, for people.
    package var formattedSeconds: String {
        let tenths = (inSeconds * 10).rounded() / 10
        return tenths == tenths.rounded() ? (Int(exactly: tenths).map(String.init) ?? "\(tenths)") : "\(tenths)"
    }
}
