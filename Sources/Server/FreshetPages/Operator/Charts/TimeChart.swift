// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Values over time as inline SVG, with the same values as a table below.
///
/// Only the layers' names can come from clients; they are escaped.
struct TimeChart: Sendable {
    enum Form: Sendable {
        /// Each layer is a line; a single layer is filled down to the axis.
        case lines
        /// Each layer is stacked on the previous one.
        case stack
    }

    struct Layer: Sendable {
        var name: String
        /// The index of the colour and pattern.
        var style: Int
        /// The values; `nil` where none was recorded.
        var values: [Double?]
    }

    /// The figure's ID in a document, and the prefix of the IDs of its parts.
    var id: String
    var title: String
    /// A description of the chart, in one sentence.
    var description: String
    var form = Form.lines
    var unit = ChartUnit.count
    /// The first minute, and the number of minutes for each value.
    var start: Int64
    var step: Int64
    var layers: [Layer]

    var count: Int { layers.map(\.values.count).max() ?? 0 }

    private var end: Int64 { start + Int64(count) * step }

    /// Returns the chart's height at an index; `nil` if no layer has a value.
    func total(_ index: Int) -> Double? {
        let values = layers.compactMap { $0.values.indices.contains(index) ? Self.drawable($0.values[index]) : nil }
        guard !values.isEmpty else { return nil }
        return form == .stack ? values.reduce(0, +) : values.max()
    }

    /// Returns a value that can be drawn; negative values become zero.
    static func drawable(_ value: Double?) -> Double? { value.flatMap { $0.isFinite ? max(0, $0) : nil } }

    // MARK: - Drawing

    /// Draws one layout.
    func svg(_ frame: ChartLayout) -> String {
        let largest = (0..<count).compactMap(total).max() ?? 0
        let ticks = ChartTicks.values(upTo: largest, isWhole: unit.isWhole)
        let top = ticks.last ?? 1
        let name = "\(id)-\(frame.name)"
        var body = form == .stack ? ChartStyle.definitions(name, layers.map(\.style)) : ""
        for tick in ticks {
            let y = ChartText.point(frame.y(tick / top))
            body += """
                <path class="grid" d="M\(ChartText.point(frame.left)) \(y)H\(ChartText.point(frame.width - frame.right))"/>\
                <text class="tick value" x="\(ChartText.point(frame.left - 6))" y="\(y)" dy="4">\(unit.short(tick))</text>
                """
        }
        body += timeTicks(frame) + gaps(frame)
        switch form {
        case .lines: body += lines(frame, top)
        case .stack: body += stack(frame, top, name)
        }
        if count > 0, frame.name == ChartLayout.wide.name { body += hints(frame) }
        return frame.svg(id: id, title: title, description: description, body)
    }

    private func x(_ index: Double, _ frame: ChartLayout) -> Double { frame.x(count > 0 ? index / Double(count) : 0) }

    private func timeTicks(_ frame: ChartLayout) -> String {
        ChartTicks.times(from: start, until: end, atMost: frame.times).map { tick in
            let share = Double(tick.minute - start) / Double(max(1, end - start))
            let x = frame.x(share)
            // A label at the edge would be cut off.
            guard x < frame.width - 16 else { return "" }
            return """
                <path class="mark" d="M\(ChartText.point(x)) \(ChartText.point(frame.floor))v4"/>\
                <text class="tick time" x="\(ChartText.point(x))" y="\(ChartText.point(frame.height - 6))">\(tick.label)</text>
                """
        }.joined()
    }

    /// Shades the times without values, so that they are not mistaken for zero.
    private func gaps(_ frame: ChartLayout) -> String {
        var text = ""
        var start: Int?
        for index in 0...count {
            let isGap = index < count && total(index) == nil
            if isGap, start == nil { start = index }
            if !isGap, let first = start {
                let (left, right) = (x(Double(first), frame), x(Double(index), frame))
                text += """
                    <rect class="gap" x="\(ChartText.point(left))" y="\(ChartText.point(frame.top))" \
                    width="\(ChartText.point(right - left))" height="\(ChartText.point(frame.plotHeight))"/>
                    """
                if right - left > 110 {
                    text += """
                        <text class="tick none" x="\(ChartText.point((left + right) / 2))" \
                        y="\(ChartText.point(frame.y(0.5)))">no figures</text>
                        """
                }
                start = nil
            }
        }
        return text
    }

    private func lines(_ frame: ChartLayout, _ top: Double) -> String {
        layers.map { layer in
            var (line, area, dots) = ("", "", "")
            var run: [(x: Double, y: Double)] = []
            func close() {
                defer { run = [] }
                guard let first = run.first, let last = run.last else { return }
                let points = run.map { "\(ChartText.point($0.x)) \(ChartText.point($0.y))" }.joined(separator: "L")
                if run.count == 1 {
                    dots += """
                        <circle class="dot fill-\(layer.style % ChartStyle.count)" cx="\(ChartText.point(first.x))" \
                        cy="\(ChartText.point(first.y))" r="2.5"/>
                        """
                    return
                }
                line += "M\(points)"
                let floor = ChartText.point(frame.floor)
                area += "M\(ChartText.point(first.x)) \(floor)L\(points)L\(ChartText.point(last.x)) \(floor)Z"
            }
            for (index, value) in layer.values.enumerated() {
                if let value = Self.drawable(value) {
                    run.append((x(Double(index) + 0.5, frame), frame.y(value / top)))
                } else {
                    close()
                }
            }
            close()
            let style = layer.style % ChartStyle.count
            let below = layers.count == 1 && !area.isEmpty ? "<path class=\"area fill-\(style)\" d=\"\(area)\"/>" : ""
            return below + (line.isEmpty ? "" : "<path class=\"line line-\(style)\" d=\"\(line)\"/>") + dots
        }.joined()
    }

    private func stack(_ frame: ChartLayout, _ top: Double, _ name: String) -> String {
        var heights = [Double](repeating: 0, count: count)
        let width = count > 0 ? frame.plotWidth / Double(count) : 0
        // A gap between bars if there is space for it.
        let air = width > 4 ? 1.0 : 0
        return layers.map { layer in
            var path = ""
            for (index, value) in layer.values.enumerated() {
                guard let value = Self.drawable(value), value > 0 else { continue }
                let (low, high) = (frame.y(heights[index] / top), frame.y((heights[index] + value) / top))
                heights[index] += value
                path += """
                    M\(ChartText.point(x(Double(index), frame))) \(ChartText.point(high))\
                    h\(ChartText.point(width - air))V\(ChartText.point(low))h-\(ChartText.point(width - air))z
                    """
            }
            return path.isEmpty
                ? "" : "<path class=\"bars\" fill=\"\(ChartStyle.fill(name, layer.style))\" d=\"\(path)\"/>"
        }.joined()
    }

    /// Returns the tooltips: the values at each time.
    private func hints(_ frame: ChartLayout) -> String {
        let width = frame.plotWidth / Double(count)
        return (0..<count).map { index in
            let values = layers.compactMap { layer in
                layer.values.indices.contains(index)
                    ? Self.drawable(layer.values[index]).map { "\(layer.name): \(unit.text($0))" } : nil
            }
            let text = "\(moment(index)) \(values.isEmpty ? "no figures" : values.joined(separator: ", "))"
            return """
                <rect class="probe" x="\(ChartText.point(x(Double(index), frame)))" y="\(ChartText.point(frame.top))" \
                width="\(ChartText.point(width))" height="\(ChartText.point(frame.plotHeight))">\
                <title>\(ChartText.escaped(text))</title></rect>
                """
        }.joined()
    }

    /// Returns the time of the value at an index.
    func moment(_ index: Int) -> String {
        let minute = start + Int64(index) * step
        return "\(ChartText.day(minute)) \(ChartText.time(minute))"
    }
}
