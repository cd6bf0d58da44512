// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import CryptoExtras
package import Foundation
package import FreshetEngine
import FreshetWire
package import JWTKit

/// Apple as the tests play it: keys of our own, and tokens that another library signs.
package struct AppleUnderTest: Sendable {
    package static let app = "com.example.bitbasel"
    private static let issuer = "https://appleid.apple.com"

    package let ec = ES256PrivateKey()
    /// One for all tests: it takes a while to make.
    private static let rsa = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }
    private let rsa: _RSA.Signing.PrivateKey
    private let keys = JWTKeyCollection()

    /// The claims of Apple's identity token; each can be made invalid.
    package struct Claims: JWTPayload {
        package var iss = AppleUnderTest.issuer
        package var aud: AudienceClaim = .init(value: [AppleUnderTest.app])
        package var sub = "001234.abc.0987"
        package var iat: Double
        package var exp: Double
        package var email: String?
        package var emailVerified: Verified?
        package var nonce: String?
        /// Two sign-ins in one second would be one token.
        package var jti = "\(UUID())"

        private enum CodingKeys: String, CodingKey {
            case iss, aud, sub, iat, exp, email, nonce, jti
            case emailVerified = "email_verified"
        }

        package init(now: Timestamp = .system()) {
            // The server's clock stands still from its start on: a token that is written later must not lie before it.
            iat = now.seconds.rounded(.down) - 300
            exp = iat + 900
        }

        package func verify(using algorithm: some JWTAlgorithm) throws {}
    }

    /// Apple has written it both ways.
    package enum Verified: Codable, Sendable {
        case bool(Bool)
        case text(String)

        package init(from decoder: any Decoder) throws {
            self = .bool(try decoder.singleValueContainer().decode(Bool.self))
        }

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .bool(let value): try container.encode(value)
            case .text(let value): try container.encode(value)
            }
        }
    }

    package init() async throws {
        rsa = try Self.rsa.get()
        await keys.add(ecdsa: ec, kid: "ec")
        await keys.add(rsa: try Insecure.RSA.PrivateKey(backing: rsa), digestAlgorithm: .sha256, kid: "rsa")
        await keys.add(rsa: try Insecure.RSA.PrivateKey(backing: rsa), digestAlgorithm: .sha512, kid: "rs512")
        await keys.add(ecdsa: ES256PrivateKey(), kid: "stranger")
    }

    package func token(_ claims: Claims = Claims(), kid: String = "ec") async throws -> String {
        try await keys.sign(claims, kid: JWKIdentifier(string: kid))
    }

    /// Apple's notification to a server about a user.
    package struct Notice: JWTPayload {
        package var iss = AppleUnderTest.issuer
        package var aud = AppleUnderTest.app
        package var iat: Double
        package var jti = "\(UUID())"
        /// A text that holds JSON.
        package var events: String

        package init(_ type: String, of subject: String, at moment: Timestamp) {
            iat = moment.seconds.rounded(.down)
            events = #"{"type":"\#(type)","sub":"\#(subject)","event_time":\#(Int(iat))}"#
        }

        package func verify(using algorithm: some JWTAlgorithm) throws {}
    }

    package func notice(_ notice: Notice, kid: String = "rsa") async throws -> String {
        try await keys.sign(notice, kid: JWKIdentifier(string: kid))
    }

    /// The value that Apple puts into a token for an app's nonce.
    package static func digest(_ nonce: String) -> String {
        var text = ""
        for byte in SHA256.hash(data: Data(nonce.utf8)) {
            if byte < 16 { text += "0" }
            text += String(byte, radix: 16)
        }
        return text
    }

    /// Writes the key set that Apple would publish.
    package func publish(to file: URL) throws { try keySet().write(to: file) }

    /// The key set that Apple would publish.
    package func keySet() throws -> Data {
        let point = try P256.Signing.PrivateKey(pemRepresentation: ec.pemRepresentation).publicKey.rawRepresentation
        let numbers = try rsa.publicKey.getKeyPrimitives()
        let ec =
            #"{"kty":"EC","crv":"P-256","use":"sig","alg":"ES256","kid":"ec","x":"\#(Base64URL.encode(point.prefix(32)))","y":"\#(Base64URL.encode(point.suffix(32)))"}"#
        let modulus = Base64URL.encode(numbers.modulus), exponent = Base64URL.encode(numbers.publicExponent)
        let rsa = ["rsa", "rs512"].map { kid in
            #"{"kty":"RSA","use":"sig","alg":"RS256","kid":"\#(kid)","n":"\#(modulus)","e":"\#(exponent)"}"#
        }
        let others =
            #"{"kty":"OKP","crv":"Ed25519","kid":"other","x":"AA"},{"kty":"EC","crv":"P-256","use":"enc","kid":"enc","x":"AA","y":"AA"}"#
        return Data(#"{"keys":[\#(others),\#(([ec] + rsa).joined(separator: ","))]}"#.utf8)
    }
}
