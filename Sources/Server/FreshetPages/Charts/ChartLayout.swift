// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The room that a chart has: one for wide windows and one for narrow ones, because letters do not shrink with a drawing.
struct ChartLayout: Sendable {
    var name: String
    var width: Double
    var height: Double
    /// How many times an axis has room for.
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

    /// Where a share of the whole lies from left to right.
    func x(_ share: Double) -> Double { left + plotWidth * (share.isFinite ? min(max(share, 0), 1) : 0) }

    /// Where a share of the whole lies from the floor up.
    func y(_ share: Double) -> Double { floor - plotHeight * (share.isFinite ? min(max(share, 0), 1) : 0) }

    /// The drawing around what is drawn.
    func svg(id: String, title: String, description: String, _ body: String, height: Double? = nil) -> String {
        let name = "\(id)-\(name)"
        return """
            <svg class="chart \(self.name)" viewBox="0 0 \(ChartText.point(width)) \(ChartText.point(height ?? self.height))" \
            role="img" aria-labelledby="\(name)-t \(name)-d"><title id="\(name)-t">\(ChartText.escaped(title))</title>\
            <desc id="\(name)-d">\(ChartText.escaped(description))</desc>\(body)</svg>
            """
    }
}
