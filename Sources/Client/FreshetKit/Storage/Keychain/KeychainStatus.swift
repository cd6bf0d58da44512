// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The result of a keychain call: the system's `OSStatus`.
package struct KeychainStatus: RawRepresentable, Sendable, Hashable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let success = Self(rawValue: 0)
    package static let invalidParameter = Self(rawValue: -50)
    package static let userCanceled = Self(rawValue: -128)
    package static let notAvailable = Self(rawValue: -25291)
    package static let authFailed = Self(rawValue: -25293)
    package static let duplicateItem = Self(rawValue: -25299)
    package static let itemNotFound = Self(rawValue: -25300)
    package static let interactionNotAllowed = Self(rawValue: -25308)
    package static let interactionRequired = Self(rawValue: -25315)
    package static let dataNotAvailable = Self(rawValue: -25316)
    package static let inDarkWake = Self(rawValue: -25320)
    package static let cannotDecode = Self(rawValue: -26275)
    package static let missingEntitlement = Self(rawValue: -34018)
    package static let serviceNotAvailable = Self(rawValue: -67585)

    /// Maps the status to a store error, whose description keeps the number so that it can be looked up.
    func fault(_ operation: String) -> SessionStoreError {
        let (kind, meaning): (SessionStoreError.Kind, String?) =
            switch self {
            case .interactionNotAllowed:
                (.locked, "the device is locked, or was not unlocked since it started")
            case .notAvailable, .serviceNotAvailable: (.locked, "no keychain is available now")
            case .interactionRequired, .dataNotAvailable, .inDarkWake: (.locked, "the item is not available now")
            case .itemNotFound: (.locked, "the item was not found, although it may exist")
            case .authFailed, .userCanceled: (.denied, "access to the item was refused")
            case .missingEntitlement:
                (.denied, "the program is not signed with the entitlement for this keychain or access group")
            case .cannotDecode: (.damaged, "the item cannot be decrypted")
            default: (.failed, nil)
            }
        return SessionStoreError(
            kind,
            "cannot \(operation): the keychain answers \(rawValue)" + (meaning.map { " (\($0))" } ?? "")
        )
    }
}
