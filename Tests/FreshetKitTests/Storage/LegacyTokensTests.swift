// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import Testing

@testable import FreshetKit

@Suite struct `Legacy tokens` {
    private struct Items: LegacyTokenSource {
        var texts: [String: String]

        func text(of item: LegacyItem) -> String? { texts[item.key] }
        func remove(_ item: LegacyItem) {}
    }

    private func place(_ name: String) -> StorageDefinition.Place { .init(item: .named(name)) }

    private func find(_ texts: [String: String]) throws -> LegacyTokens.SearchResult {
        var (first, second) = (
            StorageDefinition.Import(access: place("a1")), StorageDefinition.Import(access: place("a2"))
        )
        first.refresh = place("r1")
        second.refresh = place("r2")
        return try LegacyTokens.find([first, second], in: Items(texts: texts))
    }

    @Test func `an empty access token is ignored, and the next import is tried`() throws {
        guard case .tokens(let tokens) = try find(["a1": "", "r1": "old", "a2": "access", "r2": "refresh"]) else {
            Issue.record("no tokens")
            return
        }
        #expect(tokens.accessToken == "access" && tokens.refreshToken == "refresh" && !tokens.lacksRefreshToken)
        #expect(try find(["a1": "", "r1": "old"]) == .noAccessToken)
        #expect(try find(["a1": ""]) == .noItems)
    }

    @Test(arguments: [nil, ""] as [String?])
    func `a missing or empty refresh token is reported as lacking, and the access token is found`(text: String?) throws
    {
        var texts = ["a1": "access"]
        texts["r1"] = text
        guard case .tokens(let tokens) = try find(texts) else {
            Issue.record("no tokens")
            return
        }
        #expect(tokens.accessToken == "access" && tokens.refreshToken == nil && tokens.lacksRefreshToken)
    }
}
