// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit

/// Where a profile's session rests, by the name that `login --store` takes and the profile keeps.
enum StoreKind: String, Codable, CaseIterable {
    case secretService = "secret-service"
    case kernelKeyring = "kernel-keyring"
    /// A file that only its owner can read, for those who ask for it by this name.
    case plainFile = "plain-file"

    /// The store for the profile `name`; a file lies in `folder`.
    func store(named name: String, in folder: URL) throws(ToolError) -> any SessionStore {
        if self == .plainFile { return FileStore(directory: folder, name: name) }
        #if os(Linux)
            if let kind = SecretStoreKind(rawValue: rawValue) {
                return SecretStoreResolver().stores(kind).store(named: name)
            }
        #endif
        throw ToolError.storeUnavailable("\(rawValue): there is no such store on this system")
    }

    /// Finds out before anybody signs in whether a session can rest there.
    func check() throws(ToolError) {
        #if os(Linux)
            guard let kind = SecretStoreKind(rawValue: rawValue) else { return }
            do throws(SessionStoreError) { try SecretStoreResolver().check(kind) } catch {
                throw ToolError.storeUnavailable("\(rawValue): \(error.reason)")
            }
        #endif
    }

    /// The first secret store that can be used here.
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
