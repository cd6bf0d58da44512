// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetKit

/// The lines that were written to a log, from any thread.
package final class LogLines: Sendable {
    private let content = Locked<[String]>([])

    package init() {}

    package var all: [String] { content.withLock { $0 } }
    package func add(_ line: String) { content.withLock { $0.append(line) } }
}
