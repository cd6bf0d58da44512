// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import Testing

@testable import FreshetKit

/// Behaviour that the fake must share with the real keychain.
@Suite struct `A fake keychain` {
    let keychain = FakeKeychain()
    let item: KeychainCalls.Attributes = [
        .itemClass: .constant(.genericPassword), .service: .text("s"), .account: .text("a"),
        .valueData: .data(Data("one".utf8)), .label: .text("label"), .generic: .data(Data([1])),
        .accessible: .constant(.afterFirstUnlockThisDeviceOnly),
    ]
    var query: KeychainCalls.Attributes { item.filter { [.itemClass, .service, .account].contains($0.key) } }

    private func asking(_ more: KeychainCalls.Attributes) -> KeychainCalls.Attributes {
        query.merging(more) { $1 }
    }

    @Test func `the fake keychain has one item for each service, account, group and synchronizability`() {
        let calls = keychain.calls(accessGroups: ["app", "shared"])
        #expect(calls.add(item) == .success)
        #expect(calls.add(item) == .duplicateItem)
        let others: [KeychainCalls.Attributes] = [
            [.service: .text("t")], [.account: .text("b")], [.accessGroup: .text("shared")],
            [.synchronizable: .flag(true)],
        ]
        for other in others {
            #expect(calls.add(item.merging(other) { $1 }) == .success)
            #expect(calls.add(item.merging(other) { $1 }) == .duplicateItem)
        }
        let (isTag, isLabel) = (
            [KeychainAttribute.generic: KeychainValue.data(Data([9]))],
            [KeychainAttribute.label: KeychainValue.text("x")]
        )
        for other in [isTag, isLabel] { #expect(calls.add(item.merging(other) { $1 }) == .duplicateItem) }
        #expect(calls.update(query, [.account: .text("b")]) == .duplicateItem)
    }

    @Test func `the fake keychain returns the requested data or attributes of one or all items`() {
        let calls = keychain.calls()
        #expect(calls.copyMatching(query).0 == .itemNotFound)
        _ = calls.add(item)
        _ = calls.add(item.merging([.account: .text("b")]) { $1 })
        #expect(calls.copyMatching(query).1.first?.isEmpty == true)
        let data = calls.copyMatching(asking([.returnsData: .flag(true)])).1
        #expect(data == [[.valueData: .data(Data("one".utf8))]])
        let all = calls.copyMatching([
            .itemClass: .constant(.genericPassword), .matchLimit: .constant(.matchLimitAll),
            .returnsAttributes: .flag(true),
        ]).1
        #expect(all.map { $0[.account] } == [.text("a"), .text("b")])
        #expect(all.allSatisfy { $0[.valueData] == nil })
    }

    @Test func `the fake keychain refuses the queries that the real keychain refuses`() {
        let calls = keychain.calls()
        _ = calls.add(item)
        #expect(calls.add([.service: .text("s")]) == .invalidParameter)
        #expect(calls.add(item.merging([.matchLimit: .constant(.matchLimitOne)]) { $1 }) == .invalidParameter)
        let allData: KeychainCalls.Attributes = [
            .matchLimit: .constant(.matchLimitAll), .returnsData: .flag(true),
        ]
        #expect(calls.copyMatching(asking(allData)).0 == .invalidParameter)
        #expect(calls.update(query, [.itemClass: .constant(.genericPassword)]) == .invalidParameter)
        #expect(calls.update(query, [:]) == .invalidParameter)
        #expect(calls.delete(asking([.matchLimit: .constant(.matchLimitOne)])) == .invalidParameter)
        #expect(calls.delete(asking([.accessGroup: .text("foreign")])) == .missingEntitlement)
        #expect(keychain.itemCount == 1)
    }

    @Test func `an update of the fake keychain changes only the given attributes of matching items`() {
        let calls = keychain.calls()
        _ = calls.add(item)
        let tagged = asking([.generic: .data(Data([2]))])
        #expect(calls.update(tagged, [.label: .text("new")]) == .itemNotFound)
        #expect(calls.update(query, [.generic: .data(Data([2]))]) == .success)
        #expect(calls.update(tagged, [.label: .text("new")]) == .success)
        #expect(keychain.attributes.first?[.label] == .text("new"))
        #expect(keychain.attributes.first?[.accessible] == item[.accessible])
    }

    @Test func `the fake keychain separates synchronizable items from others`() {
        let calls = keychain.calls()
        _ = calls.add(item.merging([.synchronizable: .flag(true)]) { $1 })
        #expect(calls.copyMatching(query).0 == .itemNotFound)
        #expect(calls.copyMatching(asking([.synchronizable: .flag(false)])).0 == .itemNotFound)
        #expect(calls.copyMatching(asking([.synchronizable: .flag(true)])).0 == .success)
        #expect(calls.delete(query) == .itemNotFound)
        #expect(calls.delete(asking([.synchronizable: .constant(.synchronizableAny)])) == .success)
    }

    @Test func `the fake keychain restricts access to items by the lock state of the device`() {
        let calls = keychain.calls()
        _ = calls.add(item)
        _ = calls.add(item.merging([.account: .text("b"), .accessible: .constant(.whenUnlocked)]) { $1 })
        let asked = asking([.returnsData: .flag(true)])
        let other = asked.merging([.account: .text("b")]) { $1 }
        keychain.device = .locked
        #expect(calls.copyMatching(asked).0 == .success)
        #expect(calls.copyMatching(other).0 == .interactionNotAllowed)
        #expect(calls.update(query, [.accessible: .constant(.whenUnlocked)]) == .interactionNotAllowed)
        keychain.device = .beforeFirstUnlock
        #expect(calls.copyMatching(asked).0 == .interactionNotAllowed)
        #expect(calls.add(item) == .interactionNotAllowed)
        #expect(calls.delete(query) == .interactionNotAllowed)
        keychain.hidesItemsBeforeFirstUnlock = true
        #expect(calls.copyMatching(asked).0 == .itemNotFound)
        #expect(calls.update(query, [.label: .text("x")]) == .itemNotFound)
        #expect(calls.delete(query) == .itemNotFound)
        #expect(calls.add(item) == .duplicateItem)
    }

    @Test func `the fake keychain fails with injected errors and records calls without their data`() {
        let calls = keychain.calls()
        keychain.fail(.add, with: -36, times: 2, takesEffect: true)
        #expect(calls.add(item).rawValue == -36)
        #expect(keychain.itemCount == 1)
        #expect(calls.add(item).rawValue == -36)
        #expect(calls.add(item) == .duplicateItem)
        keychain.fail(.delete, with: -36, times: nil)
        #expect(calls.delete(query).rawValue == -36)
        keychain.recover()
        #expect(calls.delete(query) == .success)
        #expect(keychain.journal.map(\.status) == [-36, -36, -25299, -36, 0])
        #expect(keychain.journal.first?.attributes == Set(item.keys))
    }
}
