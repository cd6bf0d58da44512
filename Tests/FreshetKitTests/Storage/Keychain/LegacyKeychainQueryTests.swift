// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

@Suite struct `Queries for keychain items of an older version` {
    let keychain = FakeKeychain()
    let key = LegacyItem("key")

    private func put(_ value: String, account: KeychainValue = .text("key"), _ more: KeychainCalls.Attributes = [:]) {
        let attributes: KeychainCalls.Attributes = [
            .itemClass: .constant(.genericPassword), .account: account, .valueData: .data(Data(value.utf8)),
            .accessible: .constant(.afterFirstUnlock),
        ]
        #expect(keychain.put(attributes.merging(more) { $1 }, accessGroups: ["app", "shared"]) == .success)
    }

    private func delete() {
        let query: KeychainCalls.Attributes = [.itemClass: .constant(.genericPassword), .account: .text("key")]
        #expect(keychain.calls().delete(query) == .success)
    }

    // MARK: Finding

    @Test(arguments: [nil, true, false] as [Bool?])
    func `each call selects the keychain that the older version used`(usesDataProtectionKeychain: Bool?) throws {
        put("value")
        let selected = Locked<[KeychainValue?]>([])
        let calls = keychain.calls().observed { query in
            selected.withLock { $0.append(query[.usesDataProtectionKeychain]) }
        }
        let items =
            usesDataProtectionKeychain.map {
                LegacyKeychainItems(calls: calls, usesDataProtectionKeychain: $0, marker: nil)
            } ?? LegacyKeychainItems(calls: calls, marker: nil)
        #expect(try items.text(of: key) == "value")
        try items.remove(key)
        let expected: KeychainValue? = usesDataProtectionKeychain == false ? nil : .flag(true)
        // Two for the types of the account, one for the data, and the removal.
        #expect(selected.withLock { $0 } == Array(repeating: expected, count: 4))
    }

    @Test func `only items of the given access group are found and removed`() throws {
        for group in ["app", "shared"] { put("of \(group)", [.accessGroup: .text(group)]) }
        let calls = keychain.calls(accessGroups: ["app", "shared"])
        let items = LegacyKeychainItems(calls: calls, accessGroup: "shared", marker: nil)
        #expect(try items.text(of: key) == "of shared")
        try items.remove(key)
        #expect(keychain.attributes.map { $0[.accessGroup] } == [.text("app")])
    }

    @Test func `an item whose service is known is read even if another has the same name as data`() throws {
        put("value", [.service: .text("own")])
        put("other", account: .data(Data("key".utf8)), [.service: .text("own")])
        #expect(try keychain.items(service: "own").text(of: key) == "value")
        #expect(try keychain.items().text(of: LegacyItem("key", service: "own")) == "value")
    }

    @Test func `an item that is found by its name as text and as data is one item`() throws {
        put("value", [.service: .text("own")])
        var calls = keychain.calls()
        let strict = calls
        calls.copyMatching = { query in
            var query = query
            if query[.account]?.data != nil { query[.account] = .text("key") }
            return strict.copyMatching(query)
        }
        #expect(try LegacyKeychainItems(calls: calls, marker: nil).text(of: key) == "value")
    }

    // MARK: Errors

    @Test func `a search that fails is not taken for an absent item`() throws {
        put("value")
        keychain.fail(.copyMatching, with: -25308)
        #expect(fault { try keychain.items().text(of: key) }?.kind == .locked)
        #expect(try keychain.items().text(of: key) == "value")
    }

    @Test func `an item that can be found but not read on a locked device is locked, not damaged`() throws {
        put("value", [.accessible: .constant(.whenUnlocked)])
        keychain.device = .locked
        #expect(fault { try keychain.items().text(of: key) }?.kind == .locked)
        keychain.device = .unlocked
        #expect(try keychain.items().text(of: key) == "value")
    }

    @Test(
        arguments: [(.locked, .locked), (.failed, nil), (.denied, nil)]
            as [(SessionStoreError.Kind, SessionStoreError.Kind?)]
    )
    func `only a locked device makes an absent item uncertain`(
        marker: SessionStoreError.Kind,
        kind: SessionStoreError.Kind?
    ) {
        let marker = InstallationMarker {
            .missing
        } make: { () throws(SessionStoreError) in
            throw SessionStoreError(marker, "cannot make a file")
        }
        let items = LegacyKeychainItems(calls: keychain.calls(), marker: marker)
        #expect(fault { try items.text(of: key) }?.kind == kind)
    }

    // MARK: Removal

    @Test func `an item that cannot be removed now is reported, and removed by the next attempt`() throws {
        put("value")
        let items = keychain.items()
        #expect(try items.text(of: key) == "value")
        keychain.fail(.delete, with: -25308)
        #expect(fault { try items.remove(key) }?.kind == .locked)
        #expect(keychain.itemCount == 1)
        try items.remove(key)
        #expect(keychain.itemCount == 0)
    }

    @Test func `only the item that was read is removed, not a later one with its name and service`() throws {
        put("1", [.service: .text("own")])
        let items = keychain.items(service: "own")
        #expect(try items.text(of: key) == "1")
        delete()
        put("2", [.service: .text("own")])
        try items.remove(key)
        #expect(keychain.itemCount == 1)
    }

    @Test func `an item that an older version stores after the removal is removed as well`() throws {
        let items = keychain.items(service: "own")
        for value in ["1", "2"] {
            put(value, [.service: .text("own")])
            // Only the first one is read.
            if value == "1" { #expect(try items.text(of: key) == value) }
            try items.remove(key)
            #expect(keychain.itemCount == 0)
        }
    }

    // MARK: Encodings

    @Test(
        arguments: [([0xFF, 0xFE], .utf16LittleEndian), ([0xFE, 0xFF], .utf16BigEndian)] as [([UInt8], String.Encoding)]
    )
    func `a byte order mark decides the encoding`(mark: [UInt8], encoding: String.Encoding) throws {
        let data = Data(mark) + (try #require("eyJ-token_1".data(using: encoding)))
        #expect(LegacyKeychainItems.text(data) == "eyJ-token_1")
    }

    @Test(arguments: ["token\u{0}", "token\u{0}\u{0}", "eyJ-tok\u{0}"])
    func `the zeros after a C string do not belong to the token, and do not make it UTF-16`(text: String) {
        #expect(LegacyKeychainItems.text(Data(text.utf8)) == text.filter { $0 != "\0" })
    }
}
