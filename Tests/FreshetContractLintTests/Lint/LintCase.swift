// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ContractFixtures
import Testing

@testable import FreshetContract
@testable import FreshetContractLint

/// Changes that make the sound contract contradict itself, and what is said about it.
struct LintCase: CustomTestStringConvertible, Sendable {
    let changes: [(place: String, value: String?)]
    let advice: [(path: String, severity: LintFinding.Severity, problem: String)]

    init(_ changes: [(String, String?)], error path: String, _ problem: String) {
        self.changes = changes.map { ($0, $1) }
        advice = [(path, .error, problem)]
    }

    init(_ changes: [(String, String?)], warning path: String, _ problem: String) {
        self.changes = changes.map { ($0, $1) }
        advice = [(path, .warning, problem)]
    }

    var testDescription: String { changes.map { "\($0.place) = \($0.value ?? "nothing")" }.joined(separator: ", ") }

    /// Checks that this and nothing else is said.
    func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let told = try Self.advice(changes.map { ($0.place, $0.value) })
        #expect(told.map(\.path) == advice.map(\.path), "\(told)", sourceLocation: sourceLocation)
        #expect(told.map(\.severity) == advice.map(\.severity), "\(told)", sourceLocation: sourceLocation)
        #expect(told.map(\.problem) == advice.map(\.problem), sourceLocation: sourceLocation)
        #expect(told.allSatisfy { $0.remedy.hasSuffix(".") }, sourceLocation: sourceLocation)
    }

    /// The findings about the valid contract with some changes.
    static func advice(_ changes: [(String, String?)]) throws -> [LintFinding] {
        var json = ValidContract.json
        for (place, value) in changes {
            json = json.replacing(place, with: try value.map { try JSONParser.parse($0.utf8) })
        }
        return ContractLint.findings(in: try ContractDocument(json))
    }
}
