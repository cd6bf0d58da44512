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
    func `says why in a sentence with the number, and is never empty`(status: Int32, kind: SessionStoreError.Kind)
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

    @Test func `is unavailable before the first unlock, whichever way it says so`() throws {
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

    @Test func `is not empty before the first unlock though this version of the app never stored anything`() throws {
        keychain.device = .beforeFirstUnlock
        keychain.hidesItemsBeforeFirstUnlock = true
        #expect(fault { try store().read() }?.kind == .locked)
        keychain.device = .unlocked
        #expect(try store().read() == nil)
    }

    @Test func `that finds nothing and yet has a duplicate is unavailable, even without a marker`() throws {
        let stores = KeychainStores(calls: keychain.calls(), service: "example", folder: nil, marker: nil)
        let store = stores.store(named: "session")
        try store.overwrite(with: record)
        keychain.device = .beforeFirstUnlock
        keychain.hidesItemsBeforeFirstUnlock = true
        #expect(fault { try store.replace(nil, with: record) }?.kind == .locked)
        #expect(fault { try store.overwrite(with: record) }?.kind == .locked)
    }

    @Test func `a locked keychain shows as unknown, and the session continues once it can be read`() async throws {
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

    @Test func `does not keep new tokens from being served, and takes them later`() async throws {
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
