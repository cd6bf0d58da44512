// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetVerification

// A backend that sends its requests by a client of its own and verifies a token of RFC 7515 appendix A.3's key.

struct Failure: Error { var what: String }

let jwks =
    #"{"keys":[{"kty":"EC","crv":"P-256","kid":"a","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x0"}]}"#
let good = jwks.replacingOccurrences(of: "x0", with: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")
let header = Data(#"{"alg":"ES256","typ":"at+jwt","kid":"a"}"#.utf8).base64EncodedString()
let text = header.replacingOccurrences(of: "=", with: "") + ".e30." + String(repeating: "A", count: 86)

/// Why a token is refused by a server that publishes `keys`.
func refusal(keys: String, _ token: String) async throws -> TokenVerificationError? {
    guard let server = URL(string: "https://auth.example.com") else { return nil }
    let verifier = try TokenVerifier(
        server: server,
        rules: TokenRules(issuer: "https://auth.example.com", audience: "api"),
        fetch: { request in
            guard request.url.path == "/.well-known/jwks.json" else { throw Failure(what: "another address") }
            return IssuerResponse(status: 200, body: Array(keys.utf8))
        }
    )
    do throws(TokenVerificationError) { _ = try await verifier.verify(token) } catch { return error }
    return nil
}

let refusals = [
    try await refusal(keys: good, text), try await refusal(keys: jwks, text), try await refusal(keys: good, "x"),
]
guard refusals == [.signature, .keysUnavailable, .malformed],
    BearerCredentials(authorization: ["Bearer x"]) == .token("x")
else {
    print("failed: \(refusals)")
    exit(1)
}
print("a backend with FreshetVerification builds and runs")
