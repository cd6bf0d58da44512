// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension Duration {
    /// This duration in seconds.
    var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }

    /// Seconds with at most one decimal, for people.
    var formattedSeconds: String {
        let tenths = (inSeconds * 10).rounded() / 10
        return tenths == tenths.rounded() ? "\(Int(tenths))" : "\(tenths)"
    }
}
