// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import Testing

@testable import FreshetJWT

/// Whole tokens against the verdicts of Project Wycheproof (C2SP/wycheproof, `testvectors_v1`).
///
/// That file comes with no package of ours, so whoever has a checkout names its folder:
/// `FRESHET_WYCHEPROOF=…/testvectors_v1 swift test --filter WycheproofTokenTests`. HostileShapeTests and
/// HostileSignatureTests have the same attacks with keys of our own, and always run.
@Suite(.timeLimit(.minutes(5))) struct `Wycheproof's tokens` {
    private static let file = ProcessInfo.processInfo.environment["FRESHET_WYCHEPROOF"]
        .map { URL(filePath: $0).appending(path: "json_web_signature_test.json") }

    /// Cases whose verdict is a slip of the file's: two "invalid" ones are byte for byte the valid case 357, and two "valid"
    /// ones have a character in a part that is no base64url, and a MAC that does not cover it.
    private static let slips: Set<String> = ["367", "370", "372", "373"]

    @Test(.enabled(if: file != nil, "FRESHET_WYCHEPROOF names no folder"))
    func `have the verdicts that it says, but for four slips and for algorithms that are not ours`() throws {
        let data = try Data(contentsOf: try #require(Self.file))
        let groups = try #require(try JSONParser.parse(data).object?["testGroups"]?.array)
        var (accepted, refused) = (0, 0)
        for group in groups.compactMap(\.object) {
            let jwk = try #require((group["public"] ?? group["private"])?.object)
            // An issuer that publishes no such key is one whose tokens are refused.
            let key = VerificationKey(jwk, allowsSharedSecrets: true)
            let isOurs = TokenAlgorithm.allCases.contains { $0.rawValue == jwk["alg"]?.string }
            for test in (group["tests"]?.array ?? []).compactMap(\.object) {
                let name = try #require(test["tcId"]?.text), text = try #require(test["jws"]?.string)
                let isGood = Self.isGood(text, key, id: jwk["kid"]?.string)
                let isMeant = (test["result"]?.string == "valid" && isOurs) != Self.slips.contains(name)
                #expect(isGood == isMeant, "\(name) \(group["comment"]?.string ?? "") \(test["comment"]?.string ?? "")")
                if isGood { accepted += 1 } else { refused += 1 }
            }
        }
        #expect(accepted > 0 && refused > accepted)
    }

    /// As `TokenVerifier` judges a token, but for its claims: these have none.
    private static func isGood(_ text: String, _ key: VerificationKey?, id: String?) -> Bool {
        guard let key, let token = try? CompactJWS(text, limit: 16_384), token.keyID == id else { return false }
        return key.algorithm.rawValue == token.algorithm && key.isValidSignature(token.signature, of: token.signed)
    }
}
