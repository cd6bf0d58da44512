// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetContract

/// A linter that finds contradictions in a valid contract.
///
/// Decoding checks each value separately; the linter checks whether the values are consistent, and whether a client
/// that follows the contract keeps users signed in and does not leak tokens.
package struct ContractLint {
    let document: ContractDocument
    private var found: [LintFinding] = []

    /// Returns all findings, errors first.
    package static func findings(in document: ContractDocument) -> [LintFinding] {
        var lint = ContractLint(document: document)
        lint.checkRotation()
        lint.checkReply()
        lint.checkTimes()
        lint.checkCredentials()
        lint.checkValues()
        lint.checkHeaders()
        lint.checkExposure()
        lint.checkRules()
        lint.checkReachability()
        lint.checkHosts()
        lint.checkSocket()
        lint.checkStorage()
        lint.checkNames()
        lint.checkServer()
        lint.checkServerAnswers()
        return lint.found.filter { $0.severity == .error } + lint.found.filter { $0.severity == .warning }
    }

    private init(document: ContractDocument) { self.document = document }

    mutating func error(_ path: String, _ problem: String, _ remedy: String) {
        found.append(LintFinding(path: path, severity: .error, problem: problem, remedy: remedy))
    }

    mutating func warning(_ path: String, _ problem: String, _ remedy: String) {
        found.append(LintFinding(path: path, severity: .warning, problem: problem, remedy: remedy))
    }

    /// The endpoints, sorted by name.
    var endpoints: [(name: EndpointName, endpoint: Endpoint, path: String)] {
        document.endpoints.sorted { $0.key.text < $1.key.text }
            .map { ($0.key, $0.value, Self.path($0.key)) }
    }

    static func path(_ name: EndpointName) -> String { JSONPath.member("$.endpoints", name.text) }
    static func rule(_ index: Int) -> String { JSONPath.item("$.classify", index) }

    /// Whether the contract has refresh tokens.
    var hasRefreshToken: Bool { document.rotation != .sliding && document.rotation != .none }
}
