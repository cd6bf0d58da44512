// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetKit

extension FakeKeychain {
    /// Returns the calls as seen by a process with these access groups; the first is its default.
    package func calls(accessGroups groups: [String] = ["app"]) -> KeychainCalls {
        KeychainCalls(
            add: { attributes in
                self.perform(.add, [attributes], groups) { ($0.add(attributes, groups), []) }.0
            },
            copyMatching: { query in
                self.perform(.copyMatching, [query], groups) { $0.copyMatching(query, groups) }
            },
            update: { query, changes in
                self.perform(.update, [query, changes], groups) { ($0.update(query, changes, groups), []) }.0
            },
            delete: { query in
                self.perform(.delete, [query], groups) { ($0.delete(query, groups), []) }.0
            }
        )
    }

    /// The installation marker of the app that uses this keychain.
    package var marker: InstallationMarker {
        InstallationMarker { [self] in
            state.withLock { state in
                guard state.isAppMarked else { return .missing }
                return state.device == .beforeFirstUnlock ? .locked : .readable
            }
        } make: { [self] () throws(SessionStoreError) in
            try state.withLock { state throws(SessionStoreError) in
                guard state.device != .beforeFirstUnlock else { throw SessionStoreError(.locked, "not unlocked yet") }
                state.isAppMarked = true
            }
        }
    }

    /// Adds an item as an older version of the app, or another app, would.
    package func put(_ attributes: KeychainCalls.Attributes, accessGroups groups: [String] = ["app"]) -> KeychainStatus
    {
        state.withLock { $0.add(attributes, groups) }
    }

    /// The attributes of the items without their data.
    package var attributes: [KeychainCalls.Attributes] {
        state.withLock { $0.items.map { $0.attributes.filter { $0.key != .valueData } } }
    }

    private typealias Answer = (KeychainStatus, [KeychainCalls.Attributes])

    private func perform(
        _ call: Call,
        _ arguments: [KeychainCalls.Attributes],
        _ groups: [String],
        _ body: (inout State) -> Answer
    ) -> Answer {
        state.withLock { state in
            let answer = state.answer(call, arguments, groups, body)
            let named = arguments.reduce(into: Set()) { $0.formUnion($1.keys) }
            state.journal.append(FakeKeychainEntry(call: call, status: answer.0.rawValue, attributes: named))
            return answer
        }
    }
}

extension FakeKeychain.State {
    fileprivate mutating func answer(
        _ call: FakeKeychain.Call,
        _ arguments: [KeychainCalls.Attributes],
        _ groups: [String],
        _ body: (inout Self) -> (KeychainStatus, [KeychainCalls.Attributes])
    ) -> (KeychainStatus, [KeychainCalls.Attributes]) {
        if let index = faults.firstIndex(where: { $0.call == call && $0.remaining != 0 }) {
            if let remaining = faults[index].remaining { faults[index].remaining = remaining - 1 }
            if faults[index].takesEffect { _ = body(&self) }
            return (faults[index].status, [])
        }
        for case .text(let group)? in arguments.map({ $0[.accessGroup] }) where !groups.contains(group) {
            return (.missingEntitlement, [])
        }
        return body(&self)
    }

    private var hidesItems: Bool { device == .beforeFirstUnlock && hidesItemsBeforeFirstUnlock }

    fileprivate mutating func add(_ attributes: KeychainCalls.Attributes, _ groups: [String]) -> KeychainStatus {
        guard attributes[.itemClass] != nil, attributes.hasNone(of: .questions) else { return .invalidParameter }
        var item = FakeKeychainItem(attributes: attributes)
        item.attributes[.usesDataProtectionKeychain] = nil
        item.attributes[.accessGroup] = attributes[.accessGroup] ?? groups.first.map { .text($0) }
        item.attributes[.synchronizable] = attributes[.synchronizable] ?? .flag(false)
        item.attributes[.accessible] = attributes[.accessible] ?? .constant(.whenUnlocked)
        let isTaken = items.contains { $0.key == item.key }
        if hidesItems, isTaken { return .duplicateItem }
        guard item.isAccessible(on: device) else { return .interactionNotAllowed }
        guard !isTaken else { return .duplicateItem }
        items.append(item)
        return .success
    }

    fileprivate func copyMatching(
        _ query: KeychainCalls.Attributes,
        _ groups: [String]
    ) -> (KeychainStatus, [KeychainCalls.Attributes]) {
        let wantsAll = query[.matchLimit] == .constant(.matchLimitAll)
        let wantsData = query[.returnsData] == .flag(true)
        guard query[.itemClass] != nil, query[.valueData] == nil, !(wantsAll && wantsData) else {
            return (.invalidParameter, [])
        }
        let found = hidesItems ? [] : items.filter { $0.matches(query, groups: groups) }
        guard !found.isEmpty else { return (.itemNotFound, []) }
        // Attributes can be read as soon as the device has been unlocked once.
        guard device != .beforeFirstUnlock, !wantsData || found.allSatisfy({ $0.isAccessible(on: device) }) else {
            return (.interactionNotAllowed, [])
        }
        let shown = found.prefix(wantsAll ? found.count : 1).map { item in
            var shown = item.attributes.filter { attribute, _ in
                attribute == .valueData ? wantsData : query[.returnsAttributes] == .flag(true)
            }
            if query[.returnsPersistentReference] == .flag(true) { shown[.persistentReference] = .data(item.reference) }
            return shown
        }
        return (.success, shown)
    }

    fileprivate mutating func update(
        _ query: KeychainCalls.Attributes,
        _ changes: KeychainCalls.Attributes,
        _ groups: [String]
    ) -> KeychainStatus {
        guard query[.itemClass] != nil, query[.valueData] == nil, query.hasNone(of: .questions), !changes.isEmpty,
            changes.hasNone(of: .questions + [.itemClass, .usesDataProtectionKeychain])
        else { return .invalidParameter }
        let indices = hidesItems ? [] : items.indices.filter { items[$0].matches(query, groups: groups) }
        guard !indices.isEmpty else { return .itemNotFound }
        var changed = items
        for index in indices {
            guard items[index].isAccessible(on: device) else { return .interactionNotAllowed }
            changed[index].attributes.merge(changes) { $1 }
            guard changed[index].isAccessible(on: device) else { return .interactionNotAllowed }
        }
        guard Set(changed.map(\.key)).count == changed.count else { return .duplicateItem }
        items = changed
        return .success
    }

    fileprivate mutating func delete(_ query: KeychainCalls.Attributes, _ groups: [String]) -> KeychainStatus {
        guard query[.itemClass] != nil, query.hasNone(of: .questions) else { return .invalidParameter }
        let indices = hidesItems ? [] : items.indices.filter { items[$0].matches(query, groups: groups) }
        guard !indices.isEmpty else { return .itemNotFound }
        guard device != .beforeFirstUnlock else { return .interactionNotAllowed }
        for index in indices.reversed() { items.remove(at: index) }
        return .success
    }
}

extension [KeychainAttribute] {
    fileprivate static let questions: Self = [
        .matchLimit, .returnsData, .returnsAttributes, .returnsPersistentReference,
    ]
}

extension KeychainCalls.Attributes {
    fileprivate func hasNone(of attributes: [KeychainAttribute]) -> Bool { attributes.allSatisfy { self[$0] == nil } }
}
