// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension PrometheusSamples {
    /// Parses the output of `text`, so that a later process can add its metrics.
    ///
    /// - Returns: `nil` if it has another form.
    package init?(text: String) {
        self.init()
        var kinds: [String: String] = [:]
        var cumulative: [PrometheusSeries: [Double]] = [:]
        var sums: [PrometheusSeries: Double] = [:]
        for line in text.unicodeScalars.split(separator: "\n").map(String.init) {
            if line.hasPrefix("# TYPE ") {
                let fields = line.unicodeScalars.split(separator: " ").map(String.init)
                guard fields.count == 4 else { return nil }
                kinds[fields[2]] = fields[3]
                continue
            }
            guard let space = line.unicodeScalars.lastIndex(of: " "),
                let value = Double(line[line.index(after: space)...]),
                let series = PrometheusSeries(line[..<space])
            else { return nil }
            if kinds[series.name] == "counter" {
                count(series, by: value)
            } else if kinds[series.name] == "gauge" {
                set(series, to: value)
            } else if let (base, _) = series.bucket {
                cumulative[base, default: []].append(value)
            } else if let base = series.dropping("_sum") {
                sums[base] = value
            } else if series.dropping("_count") == nil {
                return nil
            }
        }
        for (series, ends) in cumulative {
            guard ends.count == Self.bounds.count + 1 else { return nil }
            let counts = zip(ends, [0] + ends.dropLast()).map { $0 - $1 }
            restore(series, counts, sum: sums[series] ?? 0)
        }
    }
}

extension PrometheusSeries {
    /// The histogram that this series is a bucket of, and the bucket's `le` label.
    fileprivate var bucket: (PrometheusSeries, String)? {
        guard let base = dropping("_bucket") else { return nil }
        var parts = labels.unicodeScalars.split(separator: ",").map(String.init)
        guard let index = parts.firstIndex(where: { $0.hasPrefix("le=\"") }) else { return nil }
        let end = parts.remove(at: index)
        return (PrometheusSeries(name: base.name, labels: parts.joined(separator: ",")), end)
    }

    fileprivate func dropping(_ suffix: String) -> PrometheusSeries? {
        name.hasSuffix(suffix) ? PrometheusSeries(name: String(name.dropLast(suffix.count)), labels: labels) : nil
    }
}
