// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// What the live test found, and whether contract and backend agree.
struct ConformanceReport: Encodable, Equatable, Sendable {
    var contract: String
    var baseURL: String
    var findings: [ConformanceFinding]

    /// Whether a client that follows the contract does the right thing wherever that was tried, and something was.
    var agrees: Bool { count(.agrees) > 0 && count(.differs) == 0 }

    /// Of the backend, in the order of the steps, each once.
    var weaknesses: [String] {
        var seen: Set<String> = []
        return findings.flatMap(\.weaknesses).filter { seen.insert($0).inserted }
    }

    func count(_ agreement: ConformanceFinding.Agreement) -> Int { findings.count { $0.agreement == agreement } }

    private enum CodingKeys: String, CodingKey {
        case contract, findings, agrees, weaknesses
        case baseURL = "base_url"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(contract, forKey: .contract)
        try container.encode(baseURL, forKey: .baseURL)
        try container.encode(agrees, forKey: .agrees)
        try container.encode(findings, forKey: .findings)
        try container.encode(weaknesses, forKey: .weaknesses)
    }
}
