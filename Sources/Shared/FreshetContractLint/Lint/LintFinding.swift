// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

/// A contradiction or an omission in a contract.
package struct LintFinding: Sendable, Hashable, CustomStringConvertible {
    package enum Severity: String, Sendable, CaseIterable {
        /// The contract contradicts itself, or a client that follows it fails.
        case error
        /// The contract works, with a disadvantage that its author should know.
        case warning
    }

    /// The place of the finding, as a JSON path: `$.classify[2]`.
    package var path: String
    package var severity: Severity
    /// A sentence that describes the problem.
    package var problem: String
    /// A sentence that describes the remedy.
    package var remedy: String

    init(path: String, severity: Severity, problem: String, remedy: String) {
        self.path = path.printable
        self.severity = severity
        self.problem = problem.printable
        self.remedy = remedy.printable
    }

    package var description: String { "\(path): \(severity.rawValue): \(problem) \(remedy)" }
}
