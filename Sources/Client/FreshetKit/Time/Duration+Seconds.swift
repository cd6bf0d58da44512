// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension Duration {
    /// This duration in seconds.
    package var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }

    /// The longest time that is used for a wait or a lifetime: ten years.
    static let longest = Duration.seconds(10 * 365 * 86_400)

    /// The duration, clamped to between zero and ten years, so that sums cannot overflow.
    var bounded: Duration { min(max(self, .zero), .longest) }

    /// Returns a time in seconds, clamped to between zero and ten years; zero for NaN.
    static func bounded(seconds: Double) -> Duration {
        seconds >= 0 ? .seconds(min(seconds, longest.inSeconds)) : .zero
    }

    /// The seconds with at most one decimal, for display.
    package var formattedSeconds: String {
        let tenths = (inSeconds * 10).rounded() / 10
        return tenths == tenths.rounded() ? (Int(exactly: tenths).map(String.init) ?? "\(tenths)") : "\(tenths)"
    }
}
