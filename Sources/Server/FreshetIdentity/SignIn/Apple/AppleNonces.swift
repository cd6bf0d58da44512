// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Crypto
import Foundation
import FreshetEngine
import FreshetWire

/// Issues and verifies nonces for Sign in with Apple, without storing them until they are used.
///
/// A nonce consists of its expiry, 128 random bits, and a MAC over both.
package struct AppleNonces: Sendable {
    /// The time that a user may take to sign in with Apple.
    static let lifetime = Duration.seconds(600)

    let key: SymmetricKey

    package init(key: SymmetricKey) {
        self.key = key
    }

    func make(now: Timestamp) -> AppleNonce {
        let end = UInt64(clamping: (now + Self.lifetime).milliseconds)
        let random = SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) }
        let body = withUnsafeBytes(of: end.bigEndian) { Array($0) } + random
        return AppleNonce(nonce: Base64URL.encode(body + mac(body)), expiresIn: Self.lifetime.wholeSeconds)
    }

    /// Returns the expiry of a nonce.
    ///
    /// - Returns: The expiry; `nil` if this server did not issue the nonce, or it has expired.
    /// - Throws: `unavailable` if only an untrusted clock shows that it has expired.
    func end(of nonce: String, at clock: ClockReading) throws(APIError) -> Timestamp? {
        guard nonce.utf8.count < 100, let bytes = Base64URL.decode(nonce), bytes.count == 40 else { return nil }
        let body = Array(bytes.prefix(24))
        let difference = zip(mac(body), bytes.suffix(16)).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) }
        let end = body.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let moment = Timestamp(milliseconds: Int64(clamping: end))
        guard difference == 0 else { return nil }
        if clock.now < moment { return moment }
        if !clock.isTrusted { throw .clockNotTrusted }
        return nil
    }

    private func mac(_ body: [UInt8]) -> [UInt8] {
        let message = Data("freshet-nonce1\0".utf8) + Data(body)
        return Array(HMAC<SHA256>.authenticationCode(for: message, using: key).prefix(16))
    }
}
