// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetDatabase
package import FreshetEngine

extension MetricsReport {
    /// The report of a span that ends at a moment, from what is stored.
    package init(_ span: TimeRange, at now: Timestamp, from database: any ServerDatabase) throws {
        let start = span.start(at: now)
        let sums = try database.readNow {
            try MetricsTable.sums(
                from: start,
                until: start + Int64(span.count) * span.step,
                step: span.step,
                in: $0
            )
        }
        self.init(span, at: now, sums: sums)
    }
}
