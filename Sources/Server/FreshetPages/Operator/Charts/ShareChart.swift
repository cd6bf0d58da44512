// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The parts of a whole, as horizontal bars with their numbers.
struct ShareChart: Sendable {
    struct Bar: Sendable {
        var name: String
        var count: Int
        /// The index of the colour and pattern.
        var style = 0
    }

    var id: String
    var title: String
    var description: String
    var bars: [Bar]
    /// The text to show if there are no bars.
    var nothing = "No data in this period."

    /// The maximum length of a name in a drawing; the table contains the full names.
    static let longest = 28

    /// The complete figure, with its values in a table.
    var html: String {
        let head = """
            <figure class="figure" id="\(id)"><figcaption><h3>\(ChartText.escaped(title))</h3>\
            <p>\(ChartText.escaped(description))</p></figcaption>
            """
        guard !bars.isEmpty else { return head + "<p class=\"nothing\">\(ChartText.escaped(nothing))</p></figure>" }
        return head + ChartLayout.all.map(svg).joined() + table + "</figure>"
    }

    /// Draws one layout: each name next to its bar, or above it if the layout is narrow.
    func svg(_ frame: ChartLayout) -> String {
        let isNarrow = frame.name == ChartLayout.narrow.name
        let (row, bar) = (isNarrow ? 40.0 : 28.0, 14.0)
        let left = isNarrow ? 0.0 : 210.0
        let room = frame.width - left - 96
        let (total, largest) = (bars.reduce(0) { $0 + max(0, $1.count) }, bars.map(\.count).max() ?? 0)
        let name = "\(id)-\(frame.name)"
        var body = ChartStyle.definitions(name, bars.map(\.style))
        for (number, line) in bars.enumerated() {
            let top = Double(number) * row
            let y = isNarrow ? top + 20 : top + (row - bar) / 2
            let width = largest > 0 ? room * Double(max(0, line.count)) / Double(largest) : 0
            let label = line.name.count > Self.longest ? line.name.prefix(Self.longest - 1) + "…" : line.name[...]
            body += """
                <text class="tick \(isNarrow ? "above" : "beside")" x="\(ChartText.point(isNarrow ? 0 : left - 10))" \
                y="\(ChartText.point(isNarrow ? top + 13 : y + 11))">\(ChartText.escaped(String(label)))</text>\
                <rect class="bars" x="\(ChartText.point(left))" y="\(ChartText.point(y))" \
                width="\(ChartText.point(max(2, width)))" height="\(ChartText.point(bar))" rx="2" \
                fill="\(ChartStyle.fill(name, line.style))"/>\
                <text class="tick after" x="\(ChartText.point(left + max(2, width) + 8))" y="\(ChartText.point(y + 11))">\
                \(ChartText.count(line.count)) · \(ChartText.escaped(Self.share(line.count, of: total)))</text>
                """
        }
        return frame.svg(id: id, title: title, description: description, body, height: Double(bars.count) * row)
    }

    private var table: String {
        let total = bars.reduce(0) { $0 + max(0, $1.count) }
        let rows = bars.map { bar in
            """
            <tr><th scope="row">\(ChartText.escaped(bar.name))</th><td>\(ChartText.count(bar.count))</td>\
            <td>\(ChartText.escaped(Self.share(bar.count, of: total)))</td></tr>
            """
        }
        return """
            <details class="values"><summary>The same as a table</summary><div class="scroll" tabindex="0" role="region" \
            aria-label="\(ChartText.escaped(title))"><table><thead><tr><th scope="col">Which</th><th scope="col">Count</th>\
            <th scope="col">Share</th></tr></thead><tbody>\(rows.joined())</tbody></table></div></details>
            """
    }

    /// Formats a percentage; a small part is never shown as 0 %, nor a large one as 100 %.
    static func share(_ part: Int, of whole: Int) -> String {
        guard whole > 0, part > 0 else { return "0 %" }
        if part >= whole { return "100 %" }
        let percent = 100 * Double(part) / Double(whole)
        if percent < 0.1 { return "< 0.1 %" }
        if percent > 99.9 { return "> 99.9 %" }
        let tenths = Int((percent * 10).rounded())
        return tenths.isMultiple(of: 10) ? "\(tenths / 10) %" : "\(tenths / 10).\(tenths % 10) %"
    }
}
