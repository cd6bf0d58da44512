// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ContractFixtures
import Testing

@testable import FreshetContract

@Suite struct `Unknown keys` {
    private static let faulty = FullContract.json
        .replacing("/classsify", with: .array([]))
        .replacing("/policy/RefreshBefore", with: .null)
        .replacing("/endpoints/refresh/retries", with: .bool(true))
        .replacing("/endpoints/device", with: .null)
        .replacing("/server/errors/gone", with: .null)

    private static let told = [
        "$.classsify": "The key 'classsify' is not known. The keys here are ",
        "$.policy.RefreshBefore": "The key 'RefreshBefore' is not known. Did you mean 'refreshBefore'?",
        "$.endpoints.refresh.retries": "The key 'retries' is not known. The keys here are method, path, ",
        "$.endpoints.device": "There is no endpoint 'device'. ",
        "$.server.errors.gone": "There is no error 'gone'; those are ",
    ]

    private static func isTold(_ mistakes: [ContractDiagnostic]) -> Bool {
        mistakes.count == told.count && mistakes.allSatisfy { $0.sentence.hasPrefix(told[$0.path] ?? "-") }
    }

    @Test(arguments: ["1", "1.0", "10e-1"])
    func `unknown keys are rejected in a contract of this version`(version: String) throws {
        let json = Self.faulty.replacing("/contract", with: try JSONParser.parse(version.utf8))
        let found = diagnostics(in: json)
        #expect(Self.isTold(found), "\(found)")
    }

    @Test(arguments: ["1.1", "1.5", "1.999"])
    func `unknown keys in a contract of a later minor version are recorded and ignored`(version: String) throws {
        let json = Self.faulty.replacing("/contract", with: try JSONParser.parse(version.utf8))
        let document = try ContractDocument(json)
        #expect(Self.isTold(document.unknownKeys), "\(document.unknownKeys)")
        #expect(try document == ContractDocument(FullContract.json))
    }

    @Test func `a mistake in a known key is reported even in a later minor version`() throws {
        let json = FullContract.json
            .replacing("/contract", with: .number(JSONNumber(1.1))).replacing(
                "/policy/refreshBefore",
                with: .string("60")
            )
        #expect(diagnostics(in: json).map(\.path) == ["$.policy.refreshBefore"])
    }

    @Test func `the diagnostic of an unknown key with an empty name has no suggestion`() throws {
        let found = diagnostics(in: FullContract.json.replacing("/policy/", with: .null))
        let sentence = "The key '' is not known. The keys here are refreshBefore, minimumInterval."
        #expect(found == [ContractDiagnostic(path: "$.policy[\"\"]", sentence: sentence)])
    }

    @Test func `a diagnostic contains no control characters of an unknown key, and its length is limited`() throws {
        let name = "\u{1B}[2J\u{202E}" + String(repeating: "x", count: 100_000)
        let found = diagnostics(in: FullContract.json.replacing(["policy", name], with: .null))
        let mistake = try #require(found.first)
        #expect(mistake.sentence.unicodeScalars.count < 300)
        #expect(!mistake.description.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
    }
}
