// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import FreshetWire
import Testing

@testable import FreshetIdentity

@Suite struct `JSON Web Keys` {
    /// RFC 7638 itself has only the thumbprint of an RSA key, which the server does not have.
    @Test func `the thumbprint of a P-256 key is that of RFC 9449 section 6.1`() throws {
        let (x, y) = (
            "l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs", "9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA"
        )
        let point = try #require(Base64URL.decode(x)) + #require(Base64URL.decode(y))
        let key = JSONWebKey(try P256.Signing.PublicKey(rawRepresentation: point))
        #expect(key.x == x && key.y == y)
        #expect(key.thumbprint == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
        #expect(key.kid == key.thumbprint, "tokens name the key by its thumbprint")
    }
}
