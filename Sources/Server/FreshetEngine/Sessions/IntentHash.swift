// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Crypto
package import FreshetWire

/// The hash of an intent, with which the server can recognise the intent but not present it.
package struct IntentHash: Hashable, Sendable {
    /// The first 128 bits of SHA-256, the same number of bits as in the intent.
    package let bits: Bits128

    package init(_ intent: Intent) {
        let digest = intent.bits.withUnsafeBytes { SHA256.hash(data: $0) }
        bits = digest.withUnsafeBytes { Bits128(startOf: $0) }
    }

    /// Creates the hash from stored bits.
    package init(_ bits: Bits128) { self.bits = bits }

    /// Creates the hash from stored bytes.
    ///
    /// - Returns: `nil` if they are not sixteen bytes.
    package init?(bytes: some Collection<UInt8>) {
        guard let bits = Bits128(bytes: bytes) else { return nil }
        self.bits = bits
    }

    package var bytes: [UInt8] { bits.bytes }
}
