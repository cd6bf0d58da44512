// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetWire

/// The public key of a signing key in its published form (RFC 7517, RFC 7518 section 6.2).
struct JSONWebKey: Codable, Equatable, Sendable {
    var kty = "EC"
    var crv = "P-256"
    var use = "sig"
    var alg = "ES256"
    var kid = ""
    var x: String
    var y: String

    init(_ key: P256.Signing.PublicKey) {
        let point = key.rawRepresentation
        x = Base64URL.encode(point.prefix(32))
        y = Base64URL.encode(point.suffix(32))
        kid = thumbprint
    }

    /// The RFC 7638 thumbprint: the SHA-256 of the required members in canonical form.
    var thumbprint: String {
        let canonical = #"{"crv":"\#(crv)","kty":"\#(kty)","x":"\#(x)","y":"\#(y)"}"#
        return Base64URL.encode(Array(SHA256.hash(data: Data(canonical.utf8))))
    }
}

/// The response of `GET /.well-known/jwks.json`.
package struct JSONWebKeySet: Codable, Equatable, Sendable {
    var keys: [JSONWebKey]
}
