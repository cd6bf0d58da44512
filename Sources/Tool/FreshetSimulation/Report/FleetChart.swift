// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A chart of refresh rates over time as a standalone SVG, with a line per policy.
///
/// The colours are those of the server's pages, in the light or dark mode that the reader prefers.
package struct FleetChart: Sendable {
    private let report: FleetReport

    package init(_ report: FleetReport) { self.report = report }

    private static let (width, height) = (860.0, 460.0)
    private static let (left, right, top, bottom) = (64.0, 20.0, 84.0, 76.0)
    /// The maximum number of points per line, so that each is wider than a pixel.
    private static let points = 240

    private static let style = """
        .ground{fill:#fff}text{font:12px system-ui,sans-serif;fill:#52636b}.title{font-size:16px;font-weight:600;fill:#17242a}\
        .value{text-anchor:end}.time{text-anchor:middle}.name{font-size:13px;fill:#17242a}.grid{stroke:#dbe3e5}\
        .incident{fill:#c4701b;opacity:.13}.limit{stroke:#52636b;stroke-dasharray:2 4}\
        .line{fill:none;stroke-width:1.6;stroke-linejoin:round}.freshet{stroke:#0b6f7c;stroke-width:3}\
        .none{stroke:#a3271c}.jitter{stroke:#c4701b;stroke-dasharray:7 3}.spread{stroke:#6a4fb3;stroke-dasharray:2 3}\
        .retry-after{stroke:#4d7a2a;stroke-dasharray:9 3 2 3}
        @media(prefers-color-scheme:dark){.ground{fill:#151f23}text{fill:#9eb0b8}.title,.name{fill:#e6eef0}\
        .grid{stroke:#2b3a40}.incident{fill:#eda35c}.limit{stroke:#9eb0b8}.freshet{stroke:#5cc3cd}.none{stroke:#ff9d8f}\
        .jitter{stroke:#eda35c}.spread{stroke:#b6a0f0}.retry-after{stroke:#a2cf7c}}
        """

    /// The SVG document.
    package var svg: String {
        let lines = report.outcomes.map { ($0.policy, Self.points(of: $0, report.window)) }
        let scale = RateScale(lines.flatMap(\.1))
        let size = "\(FleetText.point(Self.width)) \(FleetText.point(Self.height))"
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size)" role="img" aria-labelledby="t d">
            <title id="t">Refreshes a second, by policy</title>
            <desc id="d">\(report.heading).</desc>
            <style>\(Self.style)</style>
            <rect class="ground" width="100%" height="100%" rx="8"/>
            <text class="title" x="\(FleetText.point(Self.left))" y="30">Refreshes a second, by policy</text>
            <text x="\(FleetText.point(Self.left))" y="50">\(what)</text>
            \(incident)
            \(grid(scale))
            \(times)
            \(lines.map { line($0, $1, scale) }.joined(separator: "\n"))
            \(limit(scale))
            \(legend)
            </svg>

            """
    }

    private var what: String {
        let devices = "\(FleetText.count(report.fleet.devices)) devices"
        return "\(devices); \(report.incident.scenario.summary); means of \(Self.step(report.window)) s"
    }

    // MARK: Values

    private static func step(_ window: Range<Int>) -> Int { max(1, (window.count + points - 1) / points) }

    private static func points(of outcome: FleetOutcome, _ window: Range<Int>) -> [Double] {
        let step = step(window)
        return stride(from: window.lowerBound, to: window.upperBound, by: step).map {
            outcome.rate($0..<min($0 + step, window.upperBound))
        }
    }

    private func x(_ second: Double) -> Double {
        let window = report.window
        let share = (second - Double(window.lowerBound)) / Double(max(1, window.count))
        return Self.left + (Self.width - Self.left - Self.right) * min(max(share, 0), 1)
    }

    private static func y(_ share: Double) -> Double { height - bottom - (height - top - bottom) * share }

    // MARK: Drawing

    private var incident: String {
        let time = report.incident.time
        guard !time.isEmpty else { return "" }
        let (start, end) = (x(Double(time.lowerBound) / 1000), x(Double(time.upperBound) / 1000))
        return """
            <rect class="incident" x="\(FleetText.point(start))" y="\(FleetText.point(Self.top))" \
            width="\(FleetText.point(max(2, end - start)))" height="\(FleetText.point(Self.height - Self.top - Self.bottom))"/>
            <text class="time" x="\(FleetText.point((start + end) / 2))" y="\(FleetText.point(Self.top - 6))">\
            \(report.incident.scenario.rawValue)</text>
            """
    }

    private func grid(_ scale: RateScale) -> String {
        scale.ticks.map { tick in
            let y = FleetText.point(Self.y(scale.share(of: tick)))
            let end = FleetText.point(Self.width - Self.right)
            return """
                <path class="grid" d="M\(FleetText.point(Self.left)) \(y)H\(end)"/>\
                <text class="value" x="\(FleetText.point(Self.left - 8))" y="\(y)" dy="4">\(RateScale.text(tick))</text>
                """
        }.joined(separator: "\n")
    }

    private var times: String {
        let window = report.window
        let step = [300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400].first { window.count / $0 <= 10 }
        let interval = step ?? 172_800
        let first = (window.lowerBound + interval - 1) / interval * interval
        return stride(from: first, through: window.upperBound, by: interval).map { second in
            """
            <text class="time" x="\(FleetText.point(x(Double(second))))" \
            y="\(FleetText.point(Self.height - Self.bottom + 18))">\(FleetText.time(second))</text>
            """
        }.joined(separator: "\n")
    }

    private func line(_ policy: String, _ values: [Double], _ scale: RateScale) -> String {
        let window = report.window
        let step = Double(Self.step(window))
        let points = values.enumerated().map { index, value in
            let second = Double(window.lowerBound) + (Double(index) + 0.5) * step
            return "\(FleetText.point(x(second))) \(FleetText.point(Self.y(scale.share(of: value))))"
        }
        return "<path class=\"line \(policy)\" d=\"M\(points.joined(separator: "L"))\"/>"
    }

    /// Draws the capacity of the server.
    private func limit(_ scale: RateScale) -> String {
        guard (scale.lowest...scale.highest).contains(report.capacity) else { return "" }
        let y = Self.y(scale.share(of: report.capacity))
        let end = FleetText.point(Self.width - Self.right)
        return """
            <path class="limit" d="M\(FleetText.point(Self.left)) \(FleetText.point(y))H\(end)"/>\
            <text class="value" x="\(end)" y="\(FleetText.point(y - 5))">the server's capacity</text>
            """
    }

    private var legend: String {
        let width = (Self.width - Self.left - Self.right) / Double(max(1, report.outcomes.count))
        return report.outcomes.enumerated().map { index, outcome in
            let start = Self.left + width * Double(index)
            let y = Self.height - 24
            return """
                <path class="line \(outcome.policy)" d="M\(FleetText.point(start)) \(FleetText.point(y - 4))h28"/>\
                <text class="name" x="\(FleetText.point(start + 36))" y="\(FleetText.point(y))">\(outcome.policy)</text>
                """
        }.joined(separator: "\n")
    }
}
