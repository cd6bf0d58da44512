// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The dimensions of a chart.
///
/// A chart has a wide and a narrow layout, because its text must not scale with the drawing.
struct ChartLayout: Sendable {
    var name: String
    var width: Double
    var height: Double
    /// The maximum number of labels on the time axis.
    var times: Int
    var left = 52.0
    var right = 8.0
    var top = 10.0
    var bottom = 26.0

    static let wide = ChartLayout(name: "wide", width: 760, height: 230, times: 8)
    static let narrow = ChartLayout(name: "narrow", width: 340, height: 210, times: 4)
    static let all = [wide, narrow]

    var plotWidth: Double { width - left - right }
    var plotHeight: Double { height - top - bottom }
    var floor: Double { height - bottom }

    /// Returns the horizontal coordinate of a fraction of the plot's width.
    func x(_ share: Double) -> Double { left + plotWidth * (share.isFinite ? min(max(share, 0), 1) : 0) }

    /// Returns the vertical coordinate of a fraction of the plot's height, from the bottom.
    func y(_ share: Double) -> Double { floor - plotHeight * (share.isFinite ? min(max(share, 0), 1) : 0) }

    /// Wraps a drawing in an SVG element with a title and a description.
    func svg(id: String, title: String, description: String, _ body: String, height: Double? = nil) -> String {
        let name = "\(id)-\(name)"
        return """
            <svg class="chart \(self.name)" viewBox="0 0 \(ChartText.point(width)) \(ChartText.point(height ?? self.height))" \
            role="img" aria-labelledby="\(name)-t \(name)-d"><title id="\(name)-t">\(ChartText.escaped(title))</title>\
            <desc id="\(name)-d">\(ChartText.escaped(description))</desc>\(body)</svg>
            """
    }
}
