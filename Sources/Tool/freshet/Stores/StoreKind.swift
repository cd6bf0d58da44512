// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit

/// The kind of a profile's session store, by its name in `login --store` and in the profile.
enum StoreKind: String, Codable, CaseIterable {
    case secretService = "secret-service"
    case kernelKeyring = "kernel-keyring"
    /// A file that only its owner can read, used only if it is selected by this name.
    case plainFile = "plain-file"

    /// Returns the store for the profile `name`; a file is stored in `folder`.
    func store(named name: String, in folder: URL) throws(ToolError) -> any SessionStore {
        if self == .plainFile { return FileStore(directory: folder, name: name) }
        #if os(Linux)
            if let kind = SecretStoreKind(rawValue: rawValue) {
                return SecretStoreResolver().stores(kind).store(named: name)
            }
        #endif
        throw ToolError.storeUnavailable("\(rawValue): this store does not exist on this system")
    }

    /// Checks before a sign-in that a session can be stored.
    func check() throws(ToolError) {
        #if os(Linux)
            guard let kind = SecretStoreKind(rawValue: rawValue) else { return }
            do throws(SessionStoreError) { try SecretStoreResolver().check(kind) } catch {
                throw ToolError.storeUnavailable("\(rawValue): \(error.reason)")
            }
        #endif
    }

    /// Returns the first usable secret store.
    static func firstUsable() throws(ToolError) -> StoreKind {
        var obstacles = "none is known on this system"
        #if os(Linux)
            do throws(SessionStoreError) {
                let found = try SecretStoreResolver().firstUsable()
                if let kind = StoreKind(rawValue: found.rawValue) { return kind }
            } catch { obstacles = error.reason }
        #endif
        throw ToolError.storeUnavailable(
            "no secret store can be used here (\(obstacles)); to keep the tokens in a file that only you can read, "
                + "type: freshet login --store plain-file"
        )
    }
}
