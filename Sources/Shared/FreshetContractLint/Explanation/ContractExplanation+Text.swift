// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

extension ContractExplanation {
    /// Everything as lines of text, the answers as a table.
    package var lines: [String] {
        var lines = [title.printable]
        for section in sections {
            lines += ["", section.title.printable]
            let widths = Self.widths(section.lines)
            for line in section.lines { lines += Self.text(line, widths) }
        }
        return lines
    }

    /// Wide enough for most cells.
    private static let widest = 44

    private static func widths(_ lines: [Line]) -> (comes: Int, means: Int) {
        var widths = (comes: 0, means: 0)
        for case .answer(let comes, let means, _, _) in lines {
            if comes.count <= widest { widths.comes = max(widths.comes, comes.count) }
            widths.means = max(widths.means, min(means.count, widest))
        }
        return widths
    }

    private static func text(_ line: Line, _ widths: (comes: Int, means: Int)) -> [String] {
        switch line {
        case .sentence(let sentence): return ["  \(sentence.printable)"]
        case .answer(let comes, let means, let does, let note):
            let rest = "\(padded(means.printable, widths.means))  \(does.printable)"
            // A long cell has a line of its own, so that the others keep their columns.
            let rows =
                comes.count > widest
                ? ["  \(comes.printable)", "  \(padded("", widths.comes))  \(rest)"]
                : ["  \(padded(comes.printable, widths.comes))  \(rest)"]
            return rows + (note.map { ["    (\($0.printable))"] } ?? [])
        }
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
