// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetCommandLine

/// The report as text: a table, the backend's weaknesses and corrections of the contract.
struct ConformanceTable {
    let report: ConformanceReport
    /// The maximum width of a line, in characters.
    var width = 110

    var lines: [String] {
        let rows = report.findings.map { [$0.step.title, $0.backend, $0.contract, $0.agreement.cell] }
        var lines = table([["step", "the backend", "the contract", "agree"]] + rows)
        lines += section("Differences:", differences)
        lines += section("Weaknesses of the backend:", report.weaknesses)
        return lines + ["", verdict]
    }

    private var differences: [String] {
        report.findings.filter { $0.agreement == .differs }
            .map { finding in [finding.step.title + ".", finding.advice].compactMap(\.self).joined(separator: " ") }
    }

    private var verdict: String {
        let (agreed, differing) = (report.count(.agrees), report.count(.differs))
        let rest = "\(report.count(.unspecified)) left open by the contract, \(report.count(.skipped)) not tried"
        if agreed + differing == 0 {
            return "\(report.contract) and \(report.baseURL): nothing was compared (\(rest))."
        }
        return report.agrees
            ? "\(report.contract) and \(report.baseURL) agree: \(agreed) of \(agreed) (\(rest))."
            : "\(report.contract) and \(report.baseURL) differ: \(differing) of \(agreed + differing) (\(rest))."
    }

    private func section(_ title: String, _ items: [String]) -> [String] {
        guard !items.isEmpty else { return [] }
        return ["", title]
            + items.flatMap { item in
                Self.wrapped(item, width - 4).enumerated().map { ($0.offset == 0 ? "  - " : "    ") + $0.element }
            }
    }

    /// Formats columns as wide as their widest cell; the two in the middle share the remaining width.
    private func table(_ rows: [[String]]) -> [String] {
        let gap = 2
        var widths = (0..<4).map { column in rows.map { $0[column].count }.max() ?? 0 }
        let room = max(40, width - widths[0] - widths[3] - 3 * gap)
        if widths[1] + widths[2] > room {
            let second = max(min(widths[2], room * 2 / 5), room - widths[1])
            widths[2] = min(widths[2], second)
            widths[1] = room - widths[2]
        }
        let cells = rows.map { row in zip(row, widths).map { Self.wrapped($0, $1).joined(separator: "\n") } }
        return TextTable(cells[0], Array(cells[1...]), hasRule: true).lines(TextStyle.output)
    }

    /// Wraps text to lines of at most `width` characters, at spaces or within longer words.
    static func wrapped(_ text: String, _ width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for piece in text.split(whereSeparator: \.isWhitespace) {
            var rest = piece[...]
            if !line.isEmpty, line.count + 1 + rest.count <= width {
                line += " " + rest
                continue
            }
            if !line.isEmpty { lines.append(line) }
            while rest.count > width {
                lines.append(String(rest.prefix(width)))
                rest = rest.dropFirst(width)
            }
            line = String(rest)
        }
        return line.isEmpty && !lines.isEmpty ? lines : lines + [line]
    }
}

extension ConformanceFinding.Agreement {
    /// The text of the cell in the table.
    var cell: String {
        switch self {
        case .agrees: "yes"
        case .differs: "NO"
        case .unspecified: "open"
        case .skipped: "-"
        }
    }
}
