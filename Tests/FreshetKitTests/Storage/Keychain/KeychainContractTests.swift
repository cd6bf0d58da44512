// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import Testing

@testable import FreshetKit

@Suite(.timeLimit(.minutes(5))) struct `The keychain's store contract` {
    @Test func `a keychain store satisfies the store contract`() throws {
        let keychain = FakeKeychain()
        try SessionStoreContract.check {
            keychain.store(service: $0)
        } remains: { service in
            keychain.attributes.contains { $0[.service] == .text(service) }
        }
    }

    @Test func `keychain stores of several processes that share an item satisfy the store contract`() throws {
        let keychains = Locked<[String: FakeKeychain]>([:])
        try SessionStoreContract.check { place in
            let keychain = keychains.withLock { keychains in
                let keychain = keychains[place] ?? FakeKeychain()
                keychains[place] = keychain
                return keychain
            }
            return Processes(3, keychain)
        }
    }

    @Test func `keychain accounts of one service satisfy the contract for several stores`() throws {
        let keychain = FakeKeychain()
        try SessionStoreContract.checkStores { keychain.stores(service: "example") }
    }

    @Test(arguments: [-25308, -25291, -25293, -34018, -36, -108], [false, true])
    func `a keychain error loses no record and is not taken for an empty store`(status: Int32, takesEffect: Bool) throws
    {
        try SessionStoreContract.checkFaults {
            let keychain = FakeKeychain()
            let store = keychain.store(service: "example")
            return (store, { keychain.fail($0, with: status, takesEffect: takesEffect) })
        }
    }

    @Test(arguments: [false, true])
    func `a keychain before the first unlock loses no record and is not taken for an empty store`(hidesItems: Bool)
        throws
    {
        try SessionStoreContract.checkFaults {
            let keychain = FakeKeychain()
            keychain.hidesItemsBeforeFirstUnlock = hidesItems
            let store = keychain.store(service: "example")
            return (store, { keychain.device = $0 == nil ? .unlocked : .beforeFirstUnlock })
        }
    }

    @Test func `the store contract detects a store that reports a failed read as absent`() {
        #expect(throws: SessionStoreContract.Violation.self) {
            try SessionStoreContract.checkFaults {
                let store = UnreliableStore()
                return (ForgetfulStore(base: store), { store.fail($0) })
            }
        }
    }

    @Test func `the store contract detects a store that deletes an item before it adds the new one`() {
        #expect(throws: SessionStoreContract.Violation.self) {
            try SessionStoreContract.checkFaults {
                let keychain = FakeKeychain()
                return (DeletingStore(base: keychain.store(service: "example")), { keychain.fail($0, with: -25308) })
            }
        }
    }

    @Test func `the unreliable test store satisfies the store contract for faults`() throws {
        try SessionStoreContract.checkFaults {
            let store = UnreliableStore()
            return (store, { store.fail($0) })
        }
    }
}

extension FakeKeychain {
    fileprivate func fail(_ fault: SessionStoreContract.Fault?, with status: Int32, takesEffect: Bool = false) {
        switch fault {
        case nil: recover()
        case .reads: fail(.copyMatching, with: status, times: nil)
        case .writes:
            for call in [Call.add, .update, .delete] {
                fail(call, with: status, times: nil, takesEffect: takesEffect)
            }
        }
    }
}

extension UnreliableStore {
    fileprivate func fail(_ fault: SessionStoreContract.Fault?) {
        let refusal = SessionStoreError(.failed, "told so")
        readFault = fault == .reads ? refusal : nil
        writeFault = fault == .writes ? refusal : nil
    }
}

/// Stores of several processes that share an item; each call is another one's.
private final class Processes: SessionStore {
    private let stores: [KeychainStore]
    private let turn = Locked(0)

    init(_ count: Int, _ keychain: FakeKeychain) {
        stores = (0..<count).map { _ in keychain.store(service: "example") }
    }

    private var next: KeychainStore {
        turn.withLock { turn in
            turn += 1
            return stores[turn % stores.count]
        }
    }

    var name: String { next.name }
    func read() throws(SessionStoreError) -> SessionRecord? { try next.read() }
    func replace(_ expected: SessionRecord?, with record: SessionRecord?) throws(SessionStoreError) -> Bool {
        try next.replace(expected, with: record)
    }
    func overwrite(with record: SessionRecord?) throws(SessionStoreError) { try next.overwrite(with: record) }
}

/// Takes a failure for nothing.
private struct ForgetfulStore: SessionStore {
    let base: UnreliableStore
    var name: String { base.name }
    func read() throws(SessionStoreError) -> SessionRecord? { try? base.read() }
    func replace(_ expected: SessionRecord?, with record: SessionRecord?) throws(SessionStoreError) -> Bool {
        try base.replace(expected, with: record)
    }
    func overwrite(with record: SessionRecord?) throws(SessionStoreError) { try base.overwrite(with: record) }
}

/// Deletes, then adds, as many do.
private struct DeletingStore: SessionStore {
    let base: KeychainStore
    var name: String { base.name }
    func read() throws(SessionStoreError) -> SessionRecord? { try base.read() }
    func replace(_ expected: SessionRecord?, with record: SessionRecord?) throws(SessionStoreError) -> Bool {
        guard try base.read() == expected else { return false }
        try overwrite(with: record)
        return true
    }
    func overwrite(with record: SessionRecord?) throws(SessionStoreError) {
        try? base.overwrite(with: nil)
        if let record { try base.overwrite(with: record) }
    }
}
