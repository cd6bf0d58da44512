// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The lines at the end of a terminal that each frame replaces.
struct RedrawnRegion {
    /// The number of lines of the last frame.
    private var drawn = 0

    /// Returns the text that replaces the last frame with `lines`, each cut to the terminal's width.
    ///
    /// A longer line would wrap, and the next frame would begin too low. Without a width, lines are not cut: those with
    /// colours have more characters than columns.
    mutating func replace(with lines: [String], width: Int = .max) -> String {
        let start = drawn > 0 ? "\r\u{1B}[\(drawn)A" : "\r"
        drawn = lines.count
        let text = lines.map { "\u{1B}[2K\($0.prefix(max(1, width - 1)))\n" }.joined()
        // A shorter frame leaves lines of the last one below it.
        return start + text + "\u{1B}[J"
    }
}
