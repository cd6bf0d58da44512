// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import Testing

@testable import FreshetJWT

/// Whole tokens of Project Wycheproof with the keys of their issuers.
///
/// HostileShapeTests and HostileSignatureTests have the same attacks with keys of our own, and always run.
@Suite(.timeLimit(.minutes(5)), .enabled(if: VectorFolder.isPresent, VectorFolder.absence))
struct `Wycheproof's tokens` {
    @Test(arguments: VectorExceptions.tokens)
    func `tokens have the verdicts of Wycheproof, but for the named exceptions`(file: VectorFile) throws {
        var verdicts = VectorVerdicts()
        for group in try WycheproofFile(file.name).groups {
            let keys = try? JWKSet(Array(try Self.keySet(group).utf8), allowsSharedSecrets: true)
            for test in group.cases {
                verdicts.record(test, isAccepted: Self.isAccepted(try Self.token(test), keys))
            }
        }
        verdicts.check(file)
    }

    @Test func `encrypted tokens are malformed, and their keys verify no signature`() async throws {
        let file = VectorExceptions.encryptedTokens
        var verdicts = VectorVerdicts()
        for group in try WycheproofFile(file.name).groups {
            let keys = try Self.keySet(group)
            #expect(throws: JWKSet.Fault.empty) { try JWKSet(Array(keys.utf8), allowsSharedSecrets: true) }
            for test in group.cases {
                let fault = try await TestTokenIssuer.fault(try Self.token(test))
                #expect(fault == .malformed, "\(test.id) \(test.comment)")
                verdicts.record(test, isAccepted: fault == nil)
            }
        }
        verdicts.check(file)
    }

    /// Verifies as `TokenVerifier` does, but for the claims: these tokens have none.
    private static func isAccepted(_ text: String, _ keys: JWKSet?) -> Bool {
        guard let token = try? CompactJWS(text, limit: 16_384), let key = keys?[token.keyID] else { return false }
        return (try? key.verify(token)) != nil
    }

    /// Returns the keys that the issuer publishes; shared secrets have no public form.
    private static func keySet(_ group: WycheproofFile.Group) throws -> String {
        let published = group.fields["public"]?.object ?? group.fields["private"]?.object
        let keys = JSONValue.object(try #require(published))
        return keys.object?["keys"] == nil ? #"{"keys":[\#(keys.jsonText)]}"# : keys.jsonText
    }

    /// Returns a token's text; some have the JSON serialization.
    private static func token(_ test: WycheproofFile.Case) throws -> String {
        let value = try #require(test.fields["jws"] ?? test.fields["jwe"])
        return value.string ?? value.jsonText
    }
}
