// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetIdentity

@Suite struct `Fingerprints of keys` {
    @Test func `the fingerprint of a key is stable, differs by kind, and is not the key`() throws {
        let secret = [UInt8](repeating: 7, count: 32)
        let (mac, code) = (KeyFingerprint.of(secret, kind: "mac"), KeyFingerprint.of(secret, kind: "code"))
        #expect(mac.count == 32 && mac != code && mac != secret)
        #expect(KeyFingerprint.of(secret, kind: "mac") == mac)
    }
}
