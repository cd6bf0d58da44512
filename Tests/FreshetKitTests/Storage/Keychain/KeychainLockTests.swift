// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

@Suite(.timeLimit(.minutes(5))) struct `A keychain that cannot be read now` {
    let keychain = FakeKeychain()
    let record = Fixtures.record(Fixtures.stored(0))

    private func store() -> KeychainStore { keychain.store(service: "example") }

    @Test(
        arguments: [
            (-25308, .locked), (-25291, .locked), (-67585, .locked), (-25315, .locked), (-25316, .locked),
            (-25320, .locked), (-25293, .denied), (-34018, .denied), (-128, .denied), (-26275, .damaged),
            (-50, .failed),
            (-36, .failed), (Int32.min, .failed), (1, .failed),
        ] as [(Int32, SessionStoreError.Kind)]
    )
    func `a keychain error is reported with its kind and number, not taken for an empty store`(
        status: Int32,
        kind: SessionStoreError.Kind
    )
        throws
    {
        try store().overwrite(with: record)
        keychain.fail(.copyMatching, with: status, times: nil)
        for found in [fault { try store().read() }, fault { try store().replace(record, with: nil) }] {
            #expect(found?.kind == kind)
            #expect(found?.reason.contains("\(status)") == true)
        }
        #expect(fault { try keychain.stores(service: "example").names() }?.kind == kind)
    }

    @Test func `a keychain before the first unlock is unavailable, even if it reports no item`() throws {
        try store().overwrite(with: record)
        keychain.device = .beforeFirstUnlock
        for hidesItems in [false, true] {
            keychain.hidesItemsBeforeFirstUnlock = hidesItems
            // A store that has just been made, as at a launch ahead of time.
            #expect(fault { try store().read() }?.kind == .locked)
            #expect(fault { try store().replace(record, with: nil) }?.kind == .locked)
            #expect(fault { try store().replace(nil, with: nil) }?.kind == .locked)
            #expect(
                fault { try store().overwrite(with: nil) }?.kind == .locked,
                "it would come back after the sign-out"
            )
            #expect(fault { try keychain.stores(service: "example").names() }?.kind == .locked)
        }
        keychain.device = .locked
        #expect(try store().read() == record)
    }

    @Test func `an app without stored sessions reports the keychain as locked, not empty, before the first unlock`()
        throws
    {
        keychain.device = .beforeFirstUnlock
        keychain.hidesItemsBeforeFirstUnlock = true
        #expect(fault { try store().read() }?.kind == .locked)
        keychain.device = .unlocked
        #expect(try store().read() == nil)
    }

    @Test func `a keychain that finds no item but reports a duplicate is unavailable, even without a marker`() throws {
        let stores = KeychainStores(calls: keychain.calls(), service: "example", folder: nil, marker: nil)
        let store = stores.store(named: "session")
        try store.overwrite(with: record)
        keychain.device = .beforeFirstUnlock
        keychain.hidesItemsBeforeFirstUnlock = true
        #expect(fault { try store.replace(nil, with: record) }?.kind == .locked)
        #expect(fault { try store.overwrite(with: record) }?.kind == .locked)
    }

    @Test func `a session is unknown while the keychain is locked, and continues once the keychain is readable`()
        async throws
    {
        let bench = SessionFixture()
        try await bench.session(store: store()).signIn(.test)
        keychain.device = .beforeFirstUnlock
        keychain.hidesItemsBeforeFirstUnlock = true
        let transport = ManualTransport()
        let session = try bench.session(store: store(), transport: transport)
        #expect(session.state == .unknown)
        #expect(session.status.storeFault?.kind == .locked)
        guard case .storeUnavailable? = await failure(of: { try await session.accessToken() }) else {
            Issue.record("a caller is told that the store is unavailable")
            return
        }
        #expect(transport.unclaimed.isEmpty)
        keychain.device = .locked
        #expect(try await session.accessToken().value == "access-1")
        #expect(session.state == .active)
    }

    @Test func `new tokens are returned while the keychain is locked, and the old record is kept`() async throws {
        let bench = SessionFixture()
        let store = keychain.store(service: "example", accessibility: .whenUnlockedThisDeviceOnly)
        let transport = ManualTransport()
        let session = try await bench.expiredSession(store: store, transport: transport)
        async let token = session.accessToken()
        let refresh = try await transport.next(to: "/v1/refresh")
        keychain.device = .locked
        refresh.answer(from: bench.backend)
        #expect(try await token.value == "access-2")
        #expect(!session.status.isSaved)
        keychain.device = .unlocked
        #expect(try store.read()?.session?.generation == 0, "the old record is whole")
    }
}
