// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetKit
internal import FreshetWire

/// An item of a ``FakeKeychain``.
struct FakeKeychainItem {
    var attributes: KeychainCalls.Attributes
    /// The persistent reference of the item.
    let reference = withUnsafeBytes(of: UUID().uuid) { Data($0) }

    /// The primary key of the item.
    var key: [Value] {
        // A missing text is equivalent to an empty one.
        let values: [KeychainValue?] = [
            attributes[.itemClass], attributes[.accessGroup], attributes[.synchronizable],
            attributes[.service] ?? .text(""), attributes[.account] ?? .text(""),
        ]
        return values.map(Value.init)
    }

    /// A value as a keychain compares it: texts by their bytes.
    enum Value: Hashable {
        case text(ExactText)
        case other(KeychainValue?)

        init(_ value: KeychainValue?) {
            self = if case .text(let text)? = value { .text(ExactText(text)) } else { .other(value) }
        }
    }

    /// Whether the data may be read and written.
    func isAccessible(on device: FakeKeychain.Device) -> Bool {
        switch (device, attributes[.accessible]) {
        case (.unlocked, _): true
        case (.locked, .constant(.afterFirstUnlock)?): true
        case (.locked, .constant(.afterFirstUnlockThisDeviceOnly)?): true
        default: false
        }
    }

    /// Whether a query of a process with these access groups matches the item.
    func matches(_ query: KeychainCalls.Attributes, groups: [String]) -> Bool {
        guard case .text(let group)? = attributes[.accessGroup], groups.contains(group) else { return false }
        if case .data(let wanted)? = query[.persistentReference] { return wanted == reference }
        if query[.synchronizable] != .constant(.synchronizableAny) {
            guard attributes[.synchronizable] == query[.synchronizable] ?? .flag(false) else { return false }
        }
        let compared: [KeychainAttribute] = [
            .itemClass, .service, .account, .accessGroup, .accessible, .generic, .label,
        ]
        return compared.allSatisfy { query[$0] == nil || Value(query[$0]) == Value(attributes[$0]) }
    }
}
