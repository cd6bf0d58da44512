// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension TimeChart {
    /// The complete figure: heading, drawings, legend, and a collapsible table of values.
    var html: String {
        """
        <figure class="figure" id="\(id)"><figcaption><h3>\(ChartText.escaped(title))</h3>\
        <p>\(ChartText.escaped(description))</p></figcaption>\(ChartLayout.all.map(svg).joined())\(legend)\(table)</figure>
        """
    }

    private var legend: String {
        guard layers.count > 1 else { return "" }
        let items = layers.enumerated().map { number, layer in
            let sample = ChartStyle.sample("\(id)-l\(number)", layer.style, isLine: form == .lines)
            return "<li>\(sample)\(ChartText.escaped(layer.name))</li>"
        }
        return "<ul class=\"legend\">\(items.joined())</ul>"
    }

    /// The table of values, newest first, without times that have no values.
    private var table: String {
        let known = (0..<count).reversed().filter { total($0) != nil }
        guard !known.isEmpty else { return "" }
        let heads = layers.map { "<th scope=\"col\">\(ChartText.escaped($0.name))</th>" }.joined()
        let rows = known.map { index in
            let cells = layers.map { layer in
                let value = layer.values.indices.contains(index) ? Self.drawable(layer.values[index]) : nil
                return "<td>\(value.map(unit.text) ?? "-")</td>"
            }
            return "<tr><th scope=\"row\">\(moment(index))</th>\(cells.joined())</tr>"
        }
        return """
            <details class="values"><summary>The same as a table</summary><div class="scroll" tabindex="0" role="region" \
            aria-label="\(ChartText.escaped(title))"><table><thead><tr><th scope="col">Time (UTC)</th>\(heads)</tr></thead>\
            <tbody>\(rows.joined())</tbody></table></div></details>
            """
    }
}
