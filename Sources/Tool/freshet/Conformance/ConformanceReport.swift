// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The findings of the live test.
struct ConformanceReport: Encodable, Equatable, Sendable {
    var contract: String
    var baseURL: String
    var findings: [ConformanceFinding]

    /// Whether at least one step agrees and no step differs.
    var agrees: Bool { count(.agrees) > 0 && count(.differs) == 0 }

    /// The weaknesses of the backend in the order of the steps, without duplicates.
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
