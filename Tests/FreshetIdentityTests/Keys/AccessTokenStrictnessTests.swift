// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetEngine
import FreshetWire
import Testing

@testable import FreshetIdentity

/// Tokens that carry a good signature of the server's own key and a payload that no signer of ours writes.
@Suite struct `An access token's payload` {
    private static let now = Timestamp(milliseconds: 1_800_000_000_000)
    private static let good =
        #""iss":"i","aud":"api","client_id":"api","sub":"\#(UUID())","sid":"\#(SessionID.random())","iat":1800000000"#

    private let key = P256.Signing.PrivateKey()

    private func isAccepted(_ payload: String) throws -> Bool {
        let signer = try AccessTokenSigner(key: key, issuer: "i", audience: "api")
        let signed = signer.encodedHeader + Base64URL.encode(payload.utf8)
        let signature = try key.signature(for: Data(signed.utf8)).rawRepresentation
        let verifier = try AccessTokenVerifier(keys: [key], issuer: "i", audience: "api")
        return verifier.claims(of: signed + "." + Base64URL.encode(signature), now: Self.now) != nil
    }

    @Test func `an access token without auth_time, as from an earlier version, is accepted`() throws {
        #expect(try isAccepted("{\(Self.good),\"exp\":1800000600}"))
        #expect(try isAccepted("{\(Self.good),\"exp\":1800000600,\"auth_time\":1800000000,\"nbf\":1800000000}"))
    }

    @Test(arguments: [
        #""exp":1800000600,"exp":1900000000"#, #""exp":1800000600,"x":"\ud800""#, #""exp":"1800000600""#,
        #""exp":1800000600000"#, #""exp":1e300"#, #""exp":-1"#, #""exp":null"#, #""x":0"#,
        #""exp":1800000600,"nbf":1800000001"#, #""exp":1800000600,"auth_time":"x""#,
        #""exp":1800000600,"auth_time":null"#,
    ])
    func `an access token with a repeated claim, a lone surrogate or an invalid time is refused`(claims: String) throws
    {
        #expect(try !isAccepted("{\(Self.good),\(claims)}"))
    }

    @Test(arguments: [
        (#""aud":"api""#, #""aud":["api"]"#), (#""aud":"api""#, #""aud":["api","other"]"#),
        (#""iss":"i""#, #""iss":["i"]"#), (#""client_id":"api""#, #""client_id":1"#),
    ])
    func `an access token with a claim of another JSON type is refused`(form: String, other: String) throws {
        let changed = Self.good.replacing(form, with: other)
        #expect(changed != Self.good)
        #expect(try !isAccepted("{\(changed),\"exp\":1800000600}"))
    }

    @Test func `an access token with a byte order mark or other text around its payload object is refused`() throws {
        let payload = "{\(Self.good),\"exp\":1800000600}"
        for text in ["\u{FEFF}\(payload)", "\(payload){}", "[\(payload)]"] { #expect(try !isAccepted(text)) }
    }
}
