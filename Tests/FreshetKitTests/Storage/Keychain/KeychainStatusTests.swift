// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetKit

@Suite struct `Keychain status` {
    /// The numbers of Apple's SecBase.h.
    @Test(
        arguments: [
            (-25_308, .locked), (-25_291, .locked), (-67_585, .locked), (-25_315, .locked), (-25_316, .locked),
            (-25_320, .locked), (-25_300, .locked), (-25_293, .denied), (-128, .denied), (-34_018, .denied),
            (-26_275, .damaged), (-50, .failed), (-25_299, .failed), (-4, .failed),
        ] as [(Int32, SessionStoreError.Kind)]
    )
    func `each keychain status is reported with its number and the error kind of its cause`(
        number: Int32,
        kind: SessionStoreError.Kind
    ) {
        let fault = KeychainStatus(rawValue: number).fault("read the session")
        #expect(fault.kind == kind)
        #expect(fault.reason.hasPrefix("cannot read the session: the keychain answers \(number)"))
        #expect(fault.reason.hasSuffix(")") == (kind != .failed))
    }

    @Test func `keychain status constants have the numeric values of the system`() {
        #expect(KeychainStatus.success.rawValue == 0)
        #expect(KeychainStatus.invalidParameter.rawValue == -50)
        #expect(KeychainStatus.duplicateItem.rawValue == -25_299)
        #expect(KeychainStatus.itemNotFound.rawValue == -25_300)
    }
}
