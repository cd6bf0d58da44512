// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if canImport(Security)
    internal import Foundation
    internal import Security

    extension KeychainCalls {
        /// The keychain of this system.
        static let system = KeychainCalls(
            add: { attributes in
                KeychainStatus(rawValue: SecItemAdd(dictionary(attributes) as CFDictionary, nil))
            },
            copyMatching: { query in
                var result: CFTypeRef?
                let status = SecItemCopyMatching(dictionary(query) as CFDictionary, &result)
                let items = result as? [[String: Any]] ?? (result as? [String: Any]).map { [$0] } ?? []
                return (KeychainStatus(rawValue: status), items.map(attributes))
            },
            update: { query, changes in
                let status = SecItemUpdate(dictionary(query) as CFDictionary, dictionary(changes) as CFDictionary)
                return KeychainStatus(rawValue: status)
            },
            delete: { query in
                KeychainStatus(rawValue: SecItemDelete(dictionary(query) as CFDictionary))
            }
        )

        private static func dictionary(_ attributes: Attributes) -> [String: Any] {
            var dictionary: [String: Any] = [:]
            for (attribute, value) in attributes {
                dictionary[key(attribute)] =
                    switch value {
                    case .text(let text): text
                    case .data(let data): data
                    case .flag(let flag): flag
                    case .constant(let constant): self.constant(constant)
                    }
            }
            #if os(macOS)
                // The user's keychain file requires references in a list.
                if attributes[.usesDataProtectionKeychain] != .flag(true),
                    let reference = attributes[.persistentReference]?.data
                {
                    dictionary[key(.persistentReference)] = nil
                    dictionary[kSecMatchItemList as String] = [reference]
                }
            #endif
            return dictionary
        }

        /// Returns the attributes of a found item that are strings or data; others are not used.
        private static func attributes(_ dictionary: [String: Any]) -> Attributes {
            var attributes: Attributes = [:]
            let read: [KeychainAttribute] = [
                .service, .account, .accessGroup, .generic, .label, .valueData, .persistentReference,
            ]
            for attribute in read {
                switch dictionary[key(attribute)] {
                case let text as String: attributes[attribute] = .text(text)
                case let data as Data: attributes[attribute] = .data(data)
                default: break
                }
            }
            return attributes
        }

        private static func key(_ attribute: KeychainAttribute) -> String {
            switch attribute {
            case .itemClass: kSecClass as String
            case .service: kSecAttrService as String
            case .account: kSecAttrAccount as String
            case .accessGroup: kSecAttrAccessGroup as String
            case .synchronizable: kSecAttrSynchronizable as String
            case .accessible: kSecAttrAccessible as String
            case .generic: kSecAttrGeneric as String
            case .label: kSecAttrLabel as String
            case .valueData: kSecValueData as String
            case .persistentReference: kSecValuePersistentRef as String
            case .matchLimit: kSecMatchLimit as String
            case .returnsData: kSecReturnData as String
            case .returnsAttributes: kSecReturnAttributes as String
            case .returnsPersistentReference: kSecReturnPersistentRef as String
            case .usesDataProtectionKeychain: kSecUseDataProtectionKeychain as String
            }
        }

        private static func constant(_ constant: KeychainConstant) -> String {
            switch constant {
            case .genericPassword: kSecClassGenericPassword as String
            case .matchLimitOne: kSecMatchLimitOne as String
            case .matchLimitAll: kSecMatchLimitAll as String
            case .synchronizableAny: kSecAttrSynchronizableAny as String
            case .whenUnlocked: kSecAttrAccessibleWhenUnlocked as String
            case .whenUnlockedThisDeviceOnly: kSecAttrAccessibleWhenUnlockedThisDeviceOnly as String
            case .afterFirstUnlock: kSecAttrAccessibleAfterFirstUnlock as String
            case .afterFirstUnlockThisDeviceOnly: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly as String
            }
        }
    }
#endif
