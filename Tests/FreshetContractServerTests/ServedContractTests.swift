// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ContractFixtures
import FreshetContract
import Testing

@testable import FreshetContractServer

@Suite struct `Contracts that a server cannot serve` {
    /// The sentence with which a contract is refused.
    private func refusal(_ text: String, prefix: String = "") throws -> String {
        let contract = ServedContract(try ContractDocument(reading: Array(text.utf8)), prefix: prefix)
        return try #require(throws: ServedContractError.self) { try contract.validate() }.description
    }

    @Test(
        arguments: [
            (#", "attach": true }"#, "}", "'logoutAll' of 'wharf' brings no access_token"),
            (#"{ "refresh_token": "$refresh_token" }"#, "{}", "brings no"),
            (#""idle": 3600"#, #""idle": 0"#, "greater than zero"),
        ]
    )
    func `a contract that the server cannot serve is refused with the reason`(
        part: String,
        other: String,
        sentence: String
    ) throws {
        let text = ContractFixture.wharf.replacing(part, with: other)
        #expect(try refusal(text).contains(sentence))
    }

    @Test(arguments: ["wharf", "/wharf/", "/", "//", "/a b", "/{x}", "/*"])
    func `a malformed prefix is refused`(prefix: String) throws {
        #expect(try refusal(ContractFixture.wharf, prefix: prefix).contains("is no prefix"))
    }
}
