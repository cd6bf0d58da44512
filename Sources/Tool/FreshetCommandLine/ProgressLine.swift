// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The progress of an operation, in one line on standard error of a terminal.
///
/// Nothing is shown of an operation that takes less than two seconds, or without a terminal. The line is erased at the
/// end.
package final class ProgressLine: @unchecked Sendable {
    private let condition = NSCondition()
    /// Guarded by `condition`, as are the next two.
    private var text: @Sendable () -> String
    private var hasEnded = false
    private var isDrawn = false
    private let write: @Sendable (String) -> Void

    /// Runs an operation, and shows its progress.
    ///
    /// - Parameters:
    ///   - text: The first text; a thread calls it each time the line is drawn.
    ///   - body: The operation, which may set other texts.
    /// - Returns: The result of the operation.
    package static func during<Value>(
        _ text: @escaping @Sendable () -> String,
        _ body: (ProgressLine) async throws -> Value
    ) async rethrows -> Value {
        let isShown = TextStyle.isTerminal(STDERR_FILENO)
        return try await during(text, isShown: isShown, delay: 2, write: Output.prompt, body)
    }

    /// Runs an operation, and shows its progress.
    ///
    /// - Parameters:
    ///   - text: The first text; a thread calls it each time the line is drawn.
    ///   - isShown: Whether the progress is shown.
    ///   - delay: The time after which the line is drawn first, in seconds.
    ///   - write: Writes to the terminal.
    ///   - body: The operation, which may set other texts.
    /// - Returns: The result of the operation.
    package static func during<Value>(
        _ text: @escaping @Sendable () -> String,
        isShown: Bool,
        delay: Double,
        write: @escaping @Sendable (String) -> Void,
        _ body: (ProgressLine) async throws -> Value
    ) async rethrows -> Value {
        let progress = ProgressLine(text, write)
        if isShown { Thread.detachNewThread { progress.draw(after: delay) } }
        defer { progress.end() }
        return try await body(progress)
    }

    private init(_ text: @escaping @Sendable () -> String, _ write: @escaping @Sendable (String) -> Void) {
        self.text = text
        self.write = write
    }

    /// Sets the text that is shown from now on.
    package func show(_ text: @autoclosure @escaping @Sendable () -> String) { condition.withLock { self.text = text } }

    /// Draws the line each second until the operation ends.
    private func draw(after delay: Double) {
        condition.withLock {
            var deadline = Date() + delay
            while !hasEnded {
                if condition.wait(until: deadline) { continue }
                write("\r\u{1B}[K\(text())")
                deadline = Date() + 1
                isDrawn = true
            }
        }
    }

    /// Erases the line.
    private func end() {
        condition.withLock {
            hasEnded = true
            if isDrawn { write("\r\u{1B}[K") }
            condition.signal()
        }
    }
}
