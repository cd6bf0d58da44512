// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

/// Checks the figures of a soak, and prints them as a table.
///
/// The first quarter is left out: caches, pools and the allocator's arenas grow until they have their size. The medians of
/// the second and the last quarter are compared, so that a single peak, as during a held response, does not count.
struct SoakReport {
    private struct Comparison {
        var name: String
        var before: Int
        var after: Int
        var limit: Int
    }

    /// The longest part, whose processes ran without a restart.
    private let rows: ArraySlice<SoakFigures>
    private let all: [SoakFigures]

    init(_ all: [SoakFigures]) {
        self.all = all
        let parts = all.chunked
        rows = parts.max { $0.count < $1.count } ?? []
    }

    /// The failed checks; empty if the soak succeeded.
    var violations: [String] {
        guard rows.count >= 8 else { return ["\(rows.count) lines in a row are too few to compare"] }
        let grown = comparisons.filter { $0.after > $0.limit }
            .map { "\($0.name) grew from \($0.before) to \($0.after), more than \($0.limit)" }
        let signedOut = all.contains { $0.signedOut > 0 } ? ["sessions were signed out"] : []
        let idle = all.chunked.contains { ($0.last?.answered ?? 0) == 0 } ? ["no call was answered"] : []
        return grown + signedOut + idle
    }

    /// The table for docs/reliability.md.
    var table: String {
        let heads = ["| figure | second quarter | last quarter | limit |", "|---|---:|---:|---:|"]
        let lines = comparisons.map { "| \($0.name) | \($0.before) | \($0.after) | \($0.limit) |" }
        let parts = all.chunked
        func total(_ value: (SoakFigures) -> Int) -> Int { parts.compactMap(\.last).map(value).reduce(0, +) }
        let totals = [
            "calls answered": total(\.answered), "calls failed, to be repeated": total(\.failed),
            "responses to refreshes dropped": total(\.dropped), "sessions signed out": all.map(\.signedOut).max() ?? 0,
        ]
        return (heads + lines + totals.sorted { $0.key < $1.key }.map { "| \($0.key) | | \($0.value) | |" })
            .joined(separator: "\n")
    }

    /// The measured medians with their limits.
    ///
    /// Memory may grow by 5 % and 4 MiB, because the allocator returns freed pages late. Descriptors may grow by 10 % and 16,
    /// because the number of connections follows the load.
    private var comparisons: [Comparison] {
        let quarter = rows.count / 4
        guard quarter > 0 else { return [] }
        let second = rows.dropFirst(quarter).prefix(quarter)
        let last = rows.suffix(quarter)
        return SoakFigures.processes.indices.flatMap { index in
            let name = SoakFigures.processes[index]
            let memory = (median(second.map { $0.memory[index] }), median(last.map { $0.memory[index] }))
            let files = (median(second.map { $0.descriptors[index] }), median(last.map { $0.descriptors[index] }))
            return [
                Comparison(
                    name: "memory of \(name), KiB",
                    before: memory.0,
                    after: memory.1,
                    limit: memory.0 + memory.0 / 20 + 4096
                ),
                Comparison(
                    name: "descriptors of \(name)",
                    before: files.0,
                    after: files.1,
                    limit: files.0 + files.0 / 10 + 16
                ),
            ]
        }
    }

    private func median(_ values: [Int]) -> Int { values.sorted()[values.count / 2] }
}

extension [SoakFigures] {
    /// The lines of each part.
    fileprivate var chunked: [ArraySlice<SoakFigures>] {
        var parts: [ArraySlice<SoakFigures>] = []
        var start = startIndex
        for index in indices where index + 1 == endIndex || self[index + 1].part != self[index].part {
            parts.append(self[start...index])
            start = index + 1
        }
        return parts
    }
}
