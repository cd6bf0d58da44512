// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetKit

/// An item of a ``FakeKeychain``.
struct FakeKeychainItem {
    var attributes: KeychainCalls.Attributes
    /// The persistent reference of the item.
    let reference = withUnsafeBytes(of: UUID().uuid) { Data($0) }

    /// The primary key of the item.
    var key: [KeychainValue?] {
        // A missing text is equivalent to an empty one.
        [attributes[.itemClass], attributes[.accessGroup], attributes[.synchronizable]]
            + [attributes[.service] ?? .text(""), attributes[.account] ?? .text("")]
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
        return compared.allSatisfy { query[$0] == nil || query[$0] == attributes[$0] }
    }
}
