// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetWire

/// Values that the tests of sessions share.
package enum Fixtures {
    package static let session = SessionID("00112233-4455-6677-8899-aabbccddeeff")
    package static let otherSession = SessionID("ffeeddcc-bbaa-9988-7766-554433221100")
    package static let origin = "https://api.example.com:443"

    package static func url(_ text: String) throws -> URL {
        guard let url = URL(string: text) else { throw URLError(.badURL) }
        return url
    }
    package static func base() throws -> URL { try url("https://api.example.com") }

    package static func refreshToken(_ generation: UInt64, of session: SessionID? = session) -> String {
        guard let session else { return "" }
        let body = RefreshTokenPayload(keyID: 0, session: session, generation: generation)
        return RefreshToken(body: body, mac: Array(repeating: 0, count: 32)).text
    }

    /// A JWT with these claims, as JSON; its signature is none.
    package static func jwt(_ claims: String) -> String { "e30." + Base64URL.encode(Array(claims.utf8)) + ".c2ln" }
}
