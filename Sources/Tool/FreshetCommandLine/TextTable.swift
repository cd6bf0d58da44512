// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A table with a header and aligned columns.
package struct TextTable {
    package enum Alignment: Sendable {
        case left, right
    }

    private let header: [String]
    private let rows: [[String]]
    private let alignments: [Alignment]
    private let hasRule: Bool

    /// Creates a table.
    ///
    /// - Parameters:
    ///   - header: The titles of the columns.
    ///   - rows: The cells, as many in each row as there are titles. A cell with newlines has several lines.
    ///   - right: The indexes of the columns that are aligned to the right, as numbers are.
    ///   - hasRule: Whether a rule separates the header from the rows.
    package init(_ header: [String], _ rows: [[String]], right: Set<Int> = [], hasRule: Bool = false) {
        self.header = header
        self.rows = rows
        self.hasRule = hasRule
        alignments = header.indices.map { right.contains($0) ? .right : .left }
    }

    /// The lines, without trailing spaces.
    package func lines(_ style: TextStyle = TextStyle(isEnabled: false)) -> [String] {
        let cells = ([header] + rows).map { row in
            row.map { $0.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }
        }
        let widths = header.indices.map { column in cells.flatMap { $0[column].map(\.count) }.max() ?? 0 }
        var lines = cells.map { row in
            (0..<(row.map(\.count).max() ?? 0)).map { index in
                line(row.map { $0.indices.contains(index) ? $0[index] : "" }, widths)
            }
        }
        lines[0] = lines[0].map(style.bold)
        if hasRule {
            let total = widths.reduce(0, +) + Self.gap.count * (widths.count - 1)
            lines[0].append(String(repeating: "─", count: total))
        }
        return lines.flatMap(\.self)
    }

    private static let gap = "  "

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        var line = zip(cells, zip(widths, alignments)).map { cell, column in
            let padding = String(repeating: " ", count: max(0, column.0 - cell.count))
            return column.1 == .left ? cell + padding : padding + cell
        }.joined(separator: Self.gap)
        while line.last == " " { line.removeLast() }
        return line
    }
}
