// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Crypto
package import FreshetWire

/// The keys that make and check the MACs of refresh tokens.
///
/// They live outside the database.
package struct TokenKeyRing: Sendable {
    /// Each key as a MAC that was begun with it: beginning one costs more than finishing it.
    private let keys: [UInt8: HMAC<SHA256>]
    /// The key that new tokens get.
    package let currentID: UInt8

    /// A ring of `keys`, of which `currentID` makes new tokens.
    ///
    /// - Returns: `nil` if the current key is missing, or a key is shorter than the MAC.
    package init?(keys: [UInt8: SymmetricKey], currentID: UInt8) {
        guard keys[currentID] != nil, keys.values.allSatisfy({ $0.bitCount >= 256 }) else { return nil }
        self.keys = keys.mapValues { HMAC(key: $0) }
        self.currentID = currentID
    }

    /// What this ring can say of a token.
    package enum Verdict: Equatable, Sendable {
        case genuine
        case forged
        /// The key is newer than any of ours: another server made it, so no answer of ours may be final.
        case keyNotHereYet
    }

    /// Checks a token's MAC in constant time.
    package func verdict(on token: RefreshToken, salt: Bits128) -> Verdict {
        guard var mac = keys[token.body.keyID] else { return isNewer(token.body.keyID) ? .keyNotHereYet : .forged }
        Self.feed(&mac, token.body, salt: salt)
        // This comparison of a MAC with bytes takes the same time wherever they differ.
        return mac.finalize() == token.mac ? .genuine : .forged
    }

    /// Whether key `id` was made after all keys of this ring: ids count up.
    package func isNewer(_ id: UInt8) -> Bool { id > keys.keys.max() ?? .max }

    /// Issues the token that `body` describes, under the current key if the body's own is gone.
    package func token(_ body: RefreshTokenBody, salt: Bits128) -> RefreshToken {
        var body = body
        if keys[body.keyID] == nil { body.keyID = currentID }
        guard var mac = keys[body.keyID] else { return RefreshToken(body: body, mac: []) }
        Self.feed(&mac, body, salt: salt)
        return RefreshToken(body: body, mac: Array(mac.finalize()))
    }

    private static let purpose = Array("freshet-rt1".utf8)

    private static func feed(_ mac: inout HMAC<SHA256>, _ body: RefreshTokenBody, salt: Bits128) {
        var message = purpose
        message.reserveCapacity(purpose.count + RefreshTokenBody.maximumLength + Bits128.byteCount)
        body.append(to: &message)
        salt.withUnsafeBytes { message.append(contentsOf: $0) }
        mac.update(data: message)
    }
}
