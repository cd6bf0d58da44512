// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetMetrics

extension ServerMetrics {
    /// The counters that operators see over time.
    var tally: [MetricSeries: Int] {
        let samples = usedSamples
        var tally: [MetricSeries: Int] = [:]
        func add(
            _ name: MetricSeries.Name,
            _ series: String,
            by label: String,
            where condition: (String, String)? = nil
        ) {
            for (value, count) in samples.counts(of: series, by: label, where: condition) {
                tally[MetricSeries(name, value), default: 0] += Int(count)
            }
        }
        add(.refreshes, "freshet_presentations_total", by: "outcome", where: ("call", "refresh"))
        add(.signIns, "freshet_logins_total", by: "platform")
        add(.refusedSignIns, "freshet_logins_refused_total", by: "by")
        add(.signOuts, "freshet_sign_outs_total", by: "reason")
        add(.turnedAway, "freshet_requests_turned_away_total", by: "status")
        // The process that ended these sessions has counted them already.
        for (reason, count) in samples.counts(of: "freshet_sign_outs_elsewhere_total", by: "reason") {
            tally[MetricSeries(.signOuts, reason), default: 0] -= Int(count)
        }
        for (name, series) in [
            (MetricSeries.Name.refreshSeconds, "freshet_refresh_seconds"), (.loginSeconds, "freshet_login_seconds"),
            (.commitSeconds, "freshet_commit_seconds"),
        ] {
            for (index, count) in samples.buckets(of: series).enumerated() where count > 0 {
                tally[MetricSeries(name, LatencyHistogram.label(index, of: Self.bounds))] = Int(count)
            }
        }
        return tally
    }
}
