// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Crypto
package import FreshetWire

/// What the server keeps of an intent: enough to know it again, too little to present it.
package struct IntentHash: Hashable, Sendable {
    /// The first 128 bits of SHA-256, as many as the intent has.
    package let bytes: [UInt8]

    package init(_ intent: Intent) {
        bytes = Array(SHA256.hash(data: intent.bytes).prefix(Intent.length))
    }

    /// Takes over bytes that a row held.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Intent.length else { return nil }
        self.bytes = Array(bytes)
    }
}
