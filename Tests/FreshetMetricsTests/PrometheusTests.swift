// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import CoreMetrics
import Testing

@testable import FreshetMetrics

@Suite struct `Metrics for Prometheus` {
    @Test func `metrics are written in the Prometheus text format`() {
        let registry = PrometheusRegistry()
        registry.makeCounter(label: "freshet.refreshes", dimensions: [("cause", "ahead"), ("app", "a\"b")]).increment(
            by: 2
        )
        let timer = registry.makeTimer(label: "freshet_refresh_seconds", dimensions: [("cause", "ahead")])
        timer.recordNanoseconds(30_000_000)
        timer.recordNanoseconds(20_000_000_000)
        let text = registry.content.text
        #expect(
            text.hasPrefix("# TYPE freshet_refreshes counter\nfreshet_refreshes{app=\"a\\\"b\",cause=\"ahead\"} 2\n")
        )
        #expect(text.contains("freshet_refresh_seconds_bucket{cause=\"ahead\",le=\"0.025\"} 0\n"))
        #expect(text.contains("freshet_refresh_seconds_bucket{cause=\"ahead\",le=\"0.05\"} 1\n"))
        #expect(text.contains("freshet_refresh_seconds_bucket{cause=\"ahead\",le=\"+Inf\"} 2\n"))
        #expect(
            text.hasSuffix(
                "freshet_refresh_seconds_sum{cause=\"ahead\"} 20.03\nfreshet_refresh_seconds_count{cause=\"ahead\"} 2\n"
            )
        )
    }

    @Test func `quotes and line feeds in a label are escaped, regardless of combining characters`() {
        var samples = PrometheusSamples()
        samples.count(PrometheusSeries("a_total", [("x", "a\"\u{301}b\r\nc\\\u{301}")]), by: 1)
        #expect(samples.text.contains("a_total{x=\"a\\\"\u{301}b\r\\nc\\\\\u{301}\"} 1\n"))
    }

    @Test func `metrics are parsed from their text, and those of several processes are added up`() throws {
        var first = PrometheusSamples()
        first.count(PrometheusSeries("a_total", [("x", "1")]), by: 3)
        first.observe(PrometheusSeries("t_seconds"), 0.2)
        var second = try #require(PrometheusSamples(text: first.text))
        #expect(second == first)
        second.add(first)
        #expect(second.counters.values.map(\.self) == [6])
        #expect(second.text.contains("t_seconds_count 2\n"))
        #expect(PrometheusSamples(text: second.text) == second)
    }

    @Test(arguments: ["nonsense", "a b c", "# TYPE x", "t_bucket{le=\"1\"} 3\n", "a_total{x=\"1\" 2"])
    func `text that is not valid Prometheus output is rejected`(text: String) {
        #expect(PrometheusSamples(text: text) == nil)
    }

    @Test func `series have valid names, and return the values of their labels`() {
        let series = PrometheusSeries("a-b.c\u{E9}", [("x y", "1"), ("z", "a\\b\"c\nd\u{E9}"), ("zz", "")])
        #expect(series.name == "a_b_c_")
        #expect(series.labels == #"x_y="1",z="a\\b\"c\nd\#u{E9}",zz="""#)
        #expect(series.value(of: "x_y") == "1")
        #expect(series.value(of: "z") == "a\\b\"c\nd\u{E9}")
        #expect(series.value(of: "zz") == "")
        #expect(series.value(of: "y") == nil)
    }

    @Test func `series without a count are excluded from the used samples`() {
        let metrics = ServerMetrics()
        metrics.count("a_total", by: 0)
        metrics.count("b_total")
        metrics.update { _ = $0.histogram("t_seconds", []) }
        metrics.observe("u_seconds", .seconds(1))
        #expect(metrics.samples.counters.count == 2)
        #expect(metrics.samples.histograms.count == 2)
        #expect(metrics.usedSamples.counters.keys.map(\.name) == ["b_total"])
        #expect(metrics.usedSamples.histograms.keys.map(\.name) == ["u_seconds"])
    }
}
