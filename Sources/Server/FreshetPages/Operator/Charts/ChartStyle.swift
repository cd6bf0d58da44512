// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The styles of a chart's layers: for each layer a colour of the stylesheet, with a pattern or dashes.
enum ChartStyle {
    /// The number of styles.
    static let count = 6

    /// The strokes of each pattern, in a square of eight.
    private static let strokes = [
        "", "M-2 2l4 -4M0 8l8 -8M6 10l4 -4", "M2 2h2v2h-2zM6 6h2v2h-2z", "M0 2h8M0 6h8",
        "M-2 6l4 4M0 0l8 8M6 -2l4 4", "M2 0v8M6 0v8M0 2h8M0 6h8",
    ]

    /// Returns the definitions of the patterns that a drawing uses.
    static func definitions(_ id: String, _ styles: [Int]) -> String {
        let patterns = Set(styles.map { $0 % count }).sorted().map { style in
            """
            <pattern id="\(id)-p\(style)" width="8" height="8" patternUnits="userSpaceOnUse">\
            <rect class="fill-\(style)" width="8" height="8"/>\
            \(strokes[style].isEmpty ? "" : "<path class=\"hatch\" d=\"\(strokes[style])\"/>")</pattern>
            """
        }
        return "<defs>\(patterns.joined())</defs>"
    }

    static func fill(_ id: String, _ style: Int) -> String { "url(#\(id)-p\(style % count))" }

    /// Returns a sample of a layer, for the legend.
    static func sample(_ id: String, _ style: Int, isLine: Bool) -> String {
        let body =
            isLine
            ? "<path class=\"line line-\(style % count)\" d=\"M0 8h24\"/>"
            : definitions(id, [style]) + "<rect width=\"24\" height=\"16\" fill=\"\(fill(id, style))\"/>"
        return "<svg class=\"sample\" viewBox=\"0 0 24 16\" aria-hidden=\"true\">\(body)</svg>"
    }
}
