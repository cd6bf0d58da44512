// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import FreshetPages

@Suite struct `Charts` {
    private func chart(
        _ values: [Double?],
        form: TimeChart.Form = .lines,
        unit: ChartUnit = .count,
        names: [String] = ["a"]
    ) -> TimeChart {
        TimeChart(
            id: "c",
            title: "T",
            description: "D",
            form: form,
            unit: unit,
            start: 29_000_000,
            step: 10,
            layers: names.enumerated().map { TimeChart.Layer(name: $1, style: $0, values: values) }
        )
    }

    /// The numbers in a drawing.
    private func numbers(_ svg: String) -> [Substring] {
        svg.matches(of: /(?:x|y|width|height|cx|cy|d|viewBox)="([^"]*)"/).flatMap { match in
            match.1.split { !"0123456789.-einfa".contains($0) }
        }
    }

    private func isWellFormed(_ text: String) -> Bool {
        let parser = XMLCheck()
        return parser.accepts("<html>\(text)</html>")
    }

    @Test func `a line chart of two values is drawn as the expected SVG`() {
        let frame = ChartLayout(
            name: "narrow",
            width: 120,
            height: 60,
            times: 1,
            left: 20,
            right: 0,
            top: 0,
            bottom: 20
        )
        let chart = chart([1, 2])
        #expect(
            chart.svg(frame) == """
                <svg class="chart narrow" viewBox="0 0 120 60" role="img" aria-labelledby="c-narrow-t c-narrow-d">\
                <title id="c-narrow-t">T</title><desc id="c-narrow-d">D</desc>\
                <path class="grid" d="M20 40H120"/><text class="tick value" x="14" y="40" dy="4">0</text>\
                <path class="grid" d="M20 20H120"/><text class="tick value" x="14" y="20" dy="4">1</text>\
                <path class="grid" d="M20 0H120"/><text class="tick value" x="14" y="0" dy="4">2</text>\
                <path class="mark" d="M70 40v4"/><text class="tick time" x="70" y="54">21:30</text>\
                <path class="area fill-0" d="M45 40L45 20L95 0L95 40Z"/><path class="line line-0" d="M45 20L95 0"/></svg>
                """
        )
    }

    @Test func `the bars of a stacked chart have a pattern each, and a missing value is a gap`() {
        let frame = ChartLayout(
            name: "narrow",
            width: 120,
            height: 60,
            times: 1,
            left: 20,
            right: 0,
            top: 0,
            bottom: 20
        )
        let svg = chart([1, nil], form: .stack, names: ["a", "b"]).svg(frame)
        #expect(svg.contains(#"fill="url(#c-narrow-p0)" d="M20 20h49V40h-49z""#))
        #expect(svg.contains(#"fill="url(#c-narrow-p1)" d="M20 0h49V20h-49z""#))
        #expect(svg.contains(#"<pattern id="c-narrow-p1""#))
        #expect(svg.contains(#"<rect class="gap" x="70" y="0" width="50" height="40"/>"#))
    }

    @Test(
        arguments: [
            [], [nil], [0], [7], [nil, 3, nil], [1e300, 5], [.infinity, -.infinity, .nan], [-4, 2], [0, 0, 0],
            [1e-9, 2e-9],
        ] as [[Double?]]
    )
    func `chart coordinates are finite and within the drawing, regardless of the values`(values: [Double?]) {
        for form in [TimeChart.Form.lines, .stack] {
            for unit in [ChartUnit.count, .perMinute, .seconds] {
                let chart = chart(values, form: form, unit: unit, names: ["a", "b"])
                #expect(isWellFormed(chart.html))
                for frame in ChartLayout.all {
                    for number in numbers(chart.svg(frame)) {
                        guard let value = Double(number) else { continue }
                        #expect(value.isFinite && abs(value) <= frame.width, "\(number)")
                    }
                }
                #expect(!chart.html.contains("nan") && !chart.html.contains("inf\""))
                #expect(!chart.html.contains("style=") && !chart.html.contains("<script"))
            }
        }
    }

    @Test func `client names in a chart are escaped as text`() {
        let name = #"<script>alert(1)</script>" onload='x' & \u{0}"#
        let time = chart([1, 2], names: [name, "b"]).html
        let share = ShareChart(id: "s", title: name, description: name, bars: [.init(name: name, count: 1)]).html
        for html in [time, share] {
            #expect(isWellFormed(html))
            #expect(!html.contains("<script") && !html.contains("onload='"))
        }
    }

    @Test func `a share chart with no, zero or huge counts is well-formed, and its percentages are rounded`() {
        for counts in [[], [0], [Int.max / 4, 1], [1, 1, 1]] {
            let bars = counts.enumerated().map { ShareChart.Bar(name: "\($0)", count: $1, style: $0) }
            #expect(isWellFormed(ShareChart(id: "s", title: "T", description: "D", bars: bars).html))
        }
        #expect(ShareChart.share(1, of: 3) == "33.3 %")
        #expect(ShareChart.share(1, of: 100_000) == "< 0.1 %" && ShareChart.share(99_999, of: 100_000) == "> 99.9 %")
        #expect(ShareChart.share(0, of: 0) == "0 %" && ShareChart.share(5, of: 5) == "100 %")
    }

    @Test(arguments: [
        (0.0, true, [0.0, 1]), (1, true, [0, 1]), (3, true, [0, 1, 2, 3]), (7, true, [0, 2, 4, 6, 8]),
        (1000, true, [0, 500, 1000]), (0.07, false, [0, 0.02, 0.04, 0.06, 0.08]), (.nan, false, [0, 1]),
    ])
    func `an axis has round values`(largest: Double, isWhole: Bool, ticks: [Double]) {
        let found = ChartTicks.values(upTo: largest, isWhole: isWhole)
        #expect(found.count == ticks.count)
        for (one, other) in zip(found, ticks) { #expect(abs(one - other) < 1e-9) }
    }

    @Test func `an axis has round times, by the hour within a day and by the day beyond`() {
        // 2026-11-21 00:00
        let midnight: Int64 = 29_920_320
        let day = ChartTicks.times(from: midnight + 7, until: midnight + 1447, atMost: 8)
        #expect(day.map(\.label) == ["03:00", "06:00", "09:00", "12:00", "15:00", "18:00", "21:00", "00:00"])
        let week = ChartTicks.times(from: midnight, until: midnight + 7 * 1440, atMost: 8)
        #expect(week.first?.label == "21 Nov" && week.count == 7)
    }

    @Test func `chart numbers are formatted with separators, magnitude suffixes and units`() {
        #expect(ChartUnit.count.text(1_234_567) == "1,234,567")
        #expect(ChartUnit.perMinute.short(12_500) == "12.5 k" && ChartUnit.count.short(2_000_000) == "2 M")
        #expect(ChartUnit.seconds.text(0.0125) == "12.5 ms" && ChartUnit.seconds.text(2.5) == "2.5 s")
        #expect(ChartUnit.count.text(.infinity) == "-")
        #expect(ChartText.point(-3.04) == "-3" && ChartText.point(-0.26) == "-0.3" && ChartText.point(.nan) == "0")
    }

    @Test func `a chart's table lists the drawn values, newest first, without the gaps`() throws {
        let html = chart([1, nil, 3], names: ["a", "b"]).html
        let table = try #require(html.split(separator: "<tbody>").last)
        #expect(table.matches(of: /<tr>/).count == 2)
        let first = try #require(table.firstRange(of: "<td>3</td>"))
        let second = try #require(table.firstRange(of: "<td>1</td>"))
        #expect(first.lowerBound < second.lowerBound)
    }
}

/// A small reader of tags: every one is closed, in order, and every attribute is quoted.
private struct XMLCheck {
    func accepts(_ text: String) -> Bool {
        var open: [Substring] = []
        var rest = text[...]
        while let start = rest.firstIndex(of: "<") {
            guard !rest[..<start].contains(">"), let end = rest[start...].firstIndex(of: ">") else { return false }
            let tag = rest[rest.index(after: start)..<end]
            if tag.contains("<") { return false }
            rest = rest[rest.index(after: end)...]
            if tag.hasPrefix("/") {
                guard open.popLast() == tag.dropFirst() else { return false }
            } else if !tag.hasSuffix("/") {
                open.append(tag.prefix { $0 != " " })
            }
            if tag.count(where: { $0 == "\"" }) % 2 != 0 { return false }
        }
        return open.isEmpty && !rest.contains(">")
    }
}
