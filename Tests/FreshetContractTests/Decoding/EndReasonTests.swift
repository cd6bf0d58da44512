// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import ContractFixtures
@testable import FreshetContract
@testable import FreshetContractLint

@Suite struct `Reasons in contracts` {
    @Test func `contract.schema.json lists every reason that a rule may give`() throws {
        let file = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "../../../Sources/Client/FreshetKit/Contract/contract.schema.json").standardized
        let schema = try JSONParser.parse(try Data(contentsOf: file))
        let place = try #require(JSONPointer("/$defs/rule/properties/reason/enum"))
        let listed = try #require(place.value(in: schema)?.array).compactMap(\.string)
        let names = ClassificationRule.reasons.map { "\"\($0)\"" }.joined(separator: ", ")
        #expect(listed == ClassificationRule.reasons, "\(place) has to be: [\(names)]")
    }

    @Test(arguments: ["session_limit", "provider_revoked", "expired"])
    func `a contract's rule may use session end reasons of every protocol`(reason: String) throws {
        let json = ValidContract.json.replacing("/classify/0/reason", with: .string(reason))
        #expect(try ContractDocument(json).rules[0].reason == reason)
        #expect(ContractLint.findings(in: try ContractDocument(json)).isEmpty)
    }
}
