// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Crypto
package import FreshetWire

/// The keys that make and check the MACs of refresh tokens.
///
/// They are not stored in the database.
package struct TokenKeyRing: Sendable {
    /// The keys, each as an HMAC that was initialised with it, because initialising costs more than finalising.
    private let keys: [UInt8: HMAC<SHA256>]
    /// The number of the key for new tokens.
    package let currentID: UInt8
    /// The keys that an operator or the key schedule retired.
    ///
    /// Tokens made with them are refused permanently, even if their files exist again.
    private let retired: Set<UInt8>

    /// Creates a ring; `nil` if the current key is missing or retired, or a key is shorter than the MAC.
    ///
    /// - Parameters:
    ///   - keys: The keys by their numbers.
    ///   - currentID: The number of the key for new tokens.
    ///   - retired: The numbers of keys that were retired.
    package init?(keys: [UInt8: SymmetricKey], currentID: UInt8, retired: Set<UInt8> = []) {
        guard keys[currentID] != nil, !retired.contains(currentID), keys.values.allSatisfy({ $0.bitCount >= 256 })
        else { return nil }
        self.keys = keys.mapValues { HMAC(key: $0) }
        self.currentID = currentID
        self.retired = retired
    }

    /// The result of checking a token's MAC against this ring.
    package enum Verdict: Equatable, Sendable {
        case genuine
        case forged
        /// The key is missing, but was not retired.
        ///
        /// Another server has it, or it was lost, so the outcome must not be final.
        case keyUnavailable
    }

    /// Checks a token's MAC in constant time.
    package func verdict(on token: RefreshToken, salt: Bits128) -> Verdict {
        guard !retired.contains(token.body.keyID) else { return .forged }
        guard var mac = keys[token.body.keyID] else { return .keyUnavailable }
        Self.feed(&mac, token.body, salt: salt)
        // This comparison takes the same time wherever the MACs differ.
        return mac.finalize() == token.mac ? .genuine : .forged
    }

    /// Issues the token of a payload, under the current key if the payload's own key is gone.
    package func token(_ body: RefreshTokenPayload, salt: Bits128) -> RefreshToken {
        var body = body
        if keys[body.keyID] == nil || retired.contains(body.keyID) { body.keyID = currentID }
        guard var mac = keys[body.keyID] else { return RefreshToken(body: body, mac: []) }
        Self.feed(&mac, body, salt: salt)
        return RefreshToken(body: body, mac: Array(mac.finalize()))
    }

    private static let purpose = Array("freshet-rt1".utf8)

    private static func feed(_ mac: inout HMAC<SHA256>, _ body: RefreshTokenPayload, salt: Bits128) {
        var message = purpose
        message.reserveCapacity(purpose.count + RefreshTokenPayload.maximumLength + Bits128.byteCount)
        body.append(to: &message)
        salt.withUnsafeBytes { message.append(contentsOf: $0) }
        mac.update(data: message)
    }
}
