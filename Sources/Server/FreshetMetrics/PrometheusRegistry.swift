// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import CoreMetrics
import NIOConcurrencyHelpers

/// Stores the metrics of swift-metrics in Prometheus' format.
///
/// Only counters and timers are stored; gauges are computed when they are read.
package final class PrometheusRegistry: MetricsFactory {
    private let samples = NIOLockedValueBox(PrometheusSamples())

    package init() {}

    /// All metrics recorded so far.
    package var content: PrometheusSamples { samples.withLockedValue { $0 } }

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        Instrument(samples, PrometheusSeries(label, dimensions))
    }

    package func makeRecorder(
        label: String,
        dimensions: [(String, String)],
        aggregate: Bool
    ) -> any RecorderHandler {
        Instrument(samples, PrometheusSeries(label, dimensions))
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        Instrument(samples, PrometheusSeries(label, dimensions))
    }

    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}
}

/// The handler of one series of any type.
private final class Instrument: CounterHandler, RecorderHandler, TimerHandler {
    private let samples: NIOLockedValueBox<PrometheusSamples>
    private let series: PrometheusSeries

    init(_ samples: NIOLockedValueBox<PrometheusSamples>, _ series: PrometheusSeries) {
        self.samples = samples
        self.series = series
    }

    func increment(by amount: Int64) { samples.withLockedValue { $0.count(series, by: Double(amount)) } }
    func reset() { samples.withLockedValue { $0.reset(series) } }
    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) { samples.withLockedValue { $0.observe(series, value) } }
    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
}
