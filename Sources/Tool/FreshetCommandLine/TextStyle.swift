// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The weights and colours of text on a terminal.
package struct TextStyle: Sendable {
    /// Whether they are written; if not, every function returns the text itself.
    let isEnabled: Bool

    package init(isEnabled: Bool) { self.isEnabled = isEnabled }

    /// The style of standard output: plain if it is no terminal, or if the environment has `NO_COLOR` (no-color.org).
    package static let output = TextStyle(
        isEnabled: isTerminal(STDOUT_FILENO) && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
    )

    /// Whether a descriptor is a terminal that can move its cursor.
    package static func isTerminal(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    package func bold(_ text: String) -> String { styled(1, text) }
    package func dim(_ text: String) -> String { styled(2, text) }
    package func red(_ text: String) -> String { styled(31, text) }
    package func green(_ text: String) -> String { styled(32, text) }
    package func yellow(_ text: String) -> String { styled(33, text) }
    package func cyan(_ text: String) -> String { styled(36, text) }

    private func styled(_ code: Int, _ text: String) -> String {
        isEnabled && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
