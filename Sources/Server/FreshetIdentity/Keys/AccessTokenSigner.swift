// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetContract
import FreshetEngine
import FreshetWire

/// Signs access tokens: JWTs of type `at+jwt` under ES256 (RFC 9068).
///
/// The constant parts are encoded once. Every refresh signs a token, so this code avoids the general JSON encoder; the
/// tests verify its output with a JWT library.
struct AccessTokenSigner: Sendable {
    let keyID: String
    /// The encoded header, followed by a full stop.
    let encodedHeader: String
    private let key: P256.Signing.PrivateKey
    /// The payload's constant members, starting with the opening brace.
    private let constantClaims: String
    /// The JSON value of `client_id` for the app itself.
    private let ownClient: String
    /// The source of token ids.
    private let ids = RandomPool()

    init(key: P256.Signing.PrivateKey, issuer: String, audience: String) throws {
        self.key = key
        keyID = JSONWebKey(key.publicKey).thumbprint
        let header = #"{"alg":"ES256","typ":"at+jwt","kid":"\#(keyID)"}"#
        encodedHeader = Base64URL.encode(header.utf8) + "."
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let names = try [issuer, audience].map { String(decoding: try encoder.encode($0), as: UTF8.self) }
        constantClaims = #"{"iss":\#(names[0]),"aud":\#(names[1])"#
        ownClient = names[1]
    }

    /// Returns a new token, unique even for the same claims.
    func sign(_ claims: AccessClaims) throws -> String {
        var payload = UTF8Buffer(capacity: 512)
        payload.add(constantClaims)
        payload.add(#","client_id":"#)
        if let client = claims.client { payload.add(json: client) } else { payload.add(ownClient) }
        payload.add(#","sub":""#)
        payload.add(SessionID(claims.user))
        payload.add(#"","sid":""#)
        payload.add(claims.session)
        payload.add(#"","jti":""#)
        ids.next().withUnsafeBytes { payload.add(base64URL: $0) }
        payload.add(#"","iat":"#)
        payload.add(claims.issuedAt.milliseconds / 1000)
        payload.add(#","exp":"#)
        payload.add(claims.expiresAt.milliseconds / 1000)
        payload.add(#","auth_time":"#)
        payload.add(claims.authenticatedAt.milliseconds / 1000)
        payload.add("}")
        var token = UTF8Buffer(capacity: 1024)
        token.add(encodedHeader)
        payload.bytes.withUnsafeBytes { token.add(base64URL: $0) }
        var digest = SHA256()
        token.bytes.withUnsafeBytes { digest.update(bufferPointer: $0) }
        let signature = try key.signature(for: digest.finalize())
        token.add(".")
        signature.withUnsafeBytes { token.add(base64URL: $0) }
        return token.text
    }
}
