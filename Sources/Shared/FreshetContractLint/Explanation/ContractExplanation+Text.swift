// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

extension ContractExplanation {
    /// The explanation as lines of text, with the responses as tables.
    package var lines: [String] {
        var lines = [title.printable]
        for section in sections {
            lines += ["", section.title.printable]
            let widths = Self.widths(section.lines)
            for line in section.lines { lines += Self.text(line, widths) }
        }
        return lines
    }

    /// The maximum width of the first two columns.
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
            // A cell beyond the maximum gets its own line, so that the columns stay aligned.
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
