// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

/// Something that a contract says and cannot mean, or does not say and should.
package struct LintFinding: Sendable, Hashable, CustomStringConvertible {
    package enum Severity: String, Sendable, CaseIterable {
        /// It contradicts itself, or a client that follows it fails.
        case error
        /// It works, and somebody should know what it costs.
        case warning
    }

    /// Where it stands, as a JSON path: `$.classify[2]`.
    package var path: String
    package var severity: Severity
    /// What is wrong, in a sentence.
    package var problem: String
    /// How to mend it, in a sentence.
    package var remedy: String

    init(path: String, severity: Severity, problem: String, remedy: String) {
        self.path = path.printable
        self.severity = severity
        self.problem = problem.printable
        self.remedy = remedy.printable
    }

    package var description: String { "\(path): \(severity.rawValue): \(problem) \(remedy)" }
}
