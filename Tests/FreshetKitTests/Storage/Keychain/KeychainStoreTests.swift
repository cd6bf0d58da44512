// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

@Suite(.timeLimit(.minutes(5))) struct `A session in the keychain` {
    let keychain = FakeKeychain()
    let first = Fixtures.record(Fixtures.stored(0))
    let second = Fixtures.record(Fixtures.stored(1))
    let third = Fixtures.record(Fixtures.stored(2))

    private func store(_ account: String = "session") -> KeychainStore {
        keychain.store(service: "example", account: account)
    }

    @Test func `a stored session is one keychain item on this device, accessible after the first unlock`() throws {
        #expect(try store().replace(nil, with: first))
        let attributes = try #require(keychain.attributes.first)
        #expect(keychain.itemCount == 1)
        #expect(attributes[.itemClass] == .constant(.genericPassword))
        #expect(attributes[.service] == .text("example") && attributes[.account] == .text("session"))
        #expect(attributes[.accessible] == .constant(.afterFirstUnlockThisDeviceOnly))
        #expect(attributes[.synchronizable] == .flag(false))
        #expect(keychain.journal.allSatisfy { $0.attributes.contains(.usesDataProtectionKeychain) })
        #expect(store().name == "keychain item example session")
    }

    @Test func `a damaged keychain item that another process has deleted is replaced`() throws {
        try store().overwrite(with: first)
        var calls = keychain.calls()
        let (update, delete) = (calls.update, calls.delete)
        let isFirst = Locked(true)
        calls.update = { query, changes in
            guard isFirst.exchange(false) else { return update(query, changes) }
            #expect(delete(query) == .success)
            return .cannotDecode
        }
        let store = KeychainStores(calls: calls, service: "example", folder: nil, marker: nil).store(named: "session")
        try store.overwrite(with: second)
        #expect(try store.read() == second)
    }

    @Test func `an item that the keychain cannot decrypt is deleted, and stored again`() throws {
        try store().overwrite(with: first)
        var calls = keychain.calls()
        let (update, delete) = (calls.update, calls.delete)
        let isDeleted = Locked(false)
        calls.update = { isDeleted.withLock { $0 } ? update($0, $1) : .cannotDecode }
        calls.delete = { query in
            isDeleted.withLock { $0 = true }
            return delete(query)
        }
        let store = KeychainStores(calls: calls, service: "example", folder: nil, marker: nil).store(named: "session")
        try store.overwrite(with: second)
        #expect(try store.read() == second)
    }

    @Test func `each call selects the data-protection keychain`() throws {
        let selected = Locked<[KeychainValue?]>([])
        let calls = keychain.calls().observed { query in
            selected.withLock { $0.append(query[.usesDataProtectionKeychain]) }
        }
        let stores = KeychainStores(calls: calls, service: "example", folder: nil, marker: nil)
        let store = stores.store(named: "session")
        #expect(try store.replace(nil, with: first))
        #expect(try store.replace(first, with: second))
        #expect(try stores.names() == ["session"])
        try store.overwrite(with: nil)
        #expect(selected.withLock { $0 } == Array(repeating: .flag(true), count: 5))
    }

    @Test func `a session that was found is read and signed out although the marker cannot be opened`() throws {
        try store().overwrite(with: first)
        let marker = InstallationMarker {
            .locked
        } make: { () throws(SessionStoreError) in
            throw SessionStoreError(.locked, "not unlocked yet")
        }
        let stores = KeychainStores(calls: keychain.calls(), service: "example", folder: nil, marker: marker)
        #expect(try stores.store(named: "session").read() == first)
        try stores.store(named: "session").overwrite(with: nil)
        #expect(keychain.itemCount == 0)
    }

    @Test func `a session in one access group is separate from the session in another`() throws {
        func stores(_ group: String) -> KeychainStores {
            KeychainStores(
                calls: keychain.calls(accessGroups: ["app", "shared"]),
                service: "example",
                accessGroup: group,
                folder: nil,
                marker: keychain.marker
            )
        }
        let (own, shared) = (stores("app").store(named: "session"), stores("shared").store(named: "session"))
        try shared.overwrite(with: first)
        #expect(try own.read() == nil)
        #expect(try stores("app").names() == [])
        try own.overwrite(with: second)
        #expect(try shared.read() == first)
        try own.overwrite(with: nil)
        #expect(try shared.read() == first)
        #expect(keychain.attributes.map { $0[.accessGroup] } == [.text("shared")])
    }

    @Test func `a changed session is updated in its keychain item, not deleted and added again`() throws {
        let store = store()
        #expect(try store.replace(nil, with: first))
        #expect(try store.replace(first, with: second))
        try store.overwrite(with: third)
        #expect(keychain.journal.map(\.call) == [.add, .copyMatching, .update, .update])
        #expect(try store.read() == third)
    }

    @Test func `an item is not replaced by a writer that read it before another changed it`() throws {
        #expect(try store().replace(nil, with: first))
        var calls = keychain.calls()
        let honest = calls, rival = store(), isFirst = Locked(true)
        calls.copyMatching = { [first, second] query in
            let answer = honest.copyMatching(query)
            // The other process comes between the look and the change.
            if isFirst.exchange(false) { _ = try? rival.replace(first, with: second) }
            return answer
        }
        let late = KeychainStores(calls: calls, service: "example", folder: nil, marker: nil).store(named: "session")
        #expect(try !late.replace(first, with: third))
        #expect(try late.read() == second)
        _ = isFirst.exchange(true)
        calls.copyMatching = { [first, second] query in
            let answer = honest.copyMatching(query)
            if isFirst.exchange(false) { _ = try? rival.replace(second, with: first) }
            return answer
        }
        let later = KeychainStores(calls: calls, service: "example", folder: nil, marker: nil).store(named: "session")
        #expect(try !later.replace(second, with: nil), "not taken out either")
        #expect(try later.read() == first)
    }

    @Test func `each change of a keychain item has a different tag, even with an earlier record`() throws {
        let store = store()
        #expect(try store.replace(nil, with: first))
        var tags: Set<KeychainValue?> = []
        for record in [second, first] {
            tags.insert(keychain.attributes.first?[.generic])
            try store.overwrite(with: record)
        }
        tags.insert(keychain.attributes.first?[.generic])
        #expect(tags.count == 3, "every change has a tag of its own")
    }

    @Test func `a write makes an item of an older version readable while the device is locked`() throws {
        let old = keychain.store(service: "example", accessibility: .whenUnlockedThisDeviceOnly)
        #expect(try old.replace(nil, with: first))
        #expect(try store().replace(first, with: second))
        #expect(keychain.attributes.first?[.accessible] == .constant(.afterFirstUnlockThisDeviceOnly))
        keychain.device = .locked
        #expect(try store().read() == second)
    }

    @Test func `an item of another service, account or synchronizability is neither read nor deleted`() throws {
        for (service, account, synchronizable) in [
            ("example", "session", true), ("other", "session", false), ("example", "b", false),
        ] {
            let status = keychain.put([
                .itemClass: .constant(.genericPassword), .service: .text(service), .account: .text(account),
                .synchronizable: .flag(synchronizable), .valueData: .data(Data("x".utf8)),
            ])
            #expect(status == .success)
        }
        #expect(try store().read() == nil)
        #expect(try store().replace(nil, with: first))
        try store().overwrite(with: nil)
        #expect(keychain.itemCount == 3)
    }

    @Test func `an item that another program wrote is damaged, and only an explicit overwrite replaces it`() throws {
        let status = keychain.put([
            .itemClass: .constant(.genericPassword), .service: .text("example"), .account: .text("session"),
            .valueData: .data(Data("{}".utf8)),
        ])
        #expect(status == .success)
        #expect(fault { try store().read() }?.kind == .damaged)
        #expect(fault { try store().replace(nil, with: first) }?.kind == .damaged)
        #expect(fault { try store().replace(first, with: second) }?.kind == .damaged)
        try store().overwrite(with: first)
        #expect(try store().read() == first)
    }

    @Test func `a sign-in replaces a keychain item that can no longer be decrypted`() throws {
        try store().overwrite(with: first)
        keychain.fail(.copyMatching, with: -26275)
        #expect(fault { try store().read() }?.kind == .damaged)
        keychain.fail(.update, with: -26275)
        try store().overwrite(with: second)
        #expect(try store().read() == second)
        #expect(keychain.itemCount == 1)
    }

    @Test func `each keychain account has its own refresh lock in the given folder`() throws {
        let folder = URL(filePath: "/tmp/example")
        let stores = KeychainStores(calls: keychain.calls(), service: "example", folder: folder, marker: nil)
        let locks = ["a", "b/c"].map { stores.store(named: $0).processLock }
        #expect(locks[0] == ProcessLock(directory: folder, file: "example%20a.refresh"))
        #expect(locks[1] == ProcessLock(directory: folder, file: "example%20b%2Fc.refresh"))
        #expect(store().processLock == nil)
    }

    @Test func `keychain sessions are listed by account, without those of other services`() throws {
        let stores = keychain.stores(service: "example")
        #expect(try stores.names() == [])
        for name in ["b", "a"] { try stores.store(named: name).overwrite(with: first) }
        try keychain.store(service: "other").overwrite(with: first)
        #expect(try stores.names() == ["a", "b"])
        try stores.store(named: "a").overwrite(with: nil)
        #expect(try stores.names() == ["b"])
    }

    @Test func `descriptions and dumps of keychain values do not contain the session data`() throws {
        let secret = KeychainValue.data(Data("s3cret-text".utf8))
        let content = KeychainItem.Content(data: Data("s3cret-text".utf8), tag: Data())
        for text in ["\(secret)", String(reflecting: [KeychainAttribute.valueData: secret]), "\(content)"] {
            #expect(!text.contains("s3cret") && !text.contains("115"))
        }
        var dumped = ""
        dump(content, to: &dumped)
        #expect(!dumped.contains("115"))
    }
}

/// The error of a store's operation.
func fault<Value>(_ operation: () throws -> Value) -> SessionStoreError? {
    do {
        _ = try operation()
        return nil
    } catch { return error as? SessionStoreError }
}

extension KeychainCalls {
    /// Returns the same calls, which report their query, or the attributes of a new item, to `observer` first.
    func observed(by observer: @escaping @Sendable (Attributes) -> Void) -> KeychainCalls {
        KeychainCalls(
            add: { attributes in
                observer(attributes)
                return add(attributes)
            },
            copyMatching: { query in
                observer(query)
                return copyMatching(query)
            },
            update: { query, changes in
                observer(query)
                return update(query, changes)
            },
            delete: { query in
                observer(query)
                return delete(query)
            }
        )
    }
}

extension Locked where Value == Bool {
    /// Sets the value and returns the one before.
    fileprivate func exchange(_ new: Bool) -> Bool {
        withLock { value in
            defer { value = new }
            return value
        }
    }
}
