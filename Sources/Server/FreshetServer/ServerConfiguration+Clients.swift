// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetIdentity

extension ServerConfiguration {
    /// Reads the client registry, if there is one.
    func clientRegistry() throws(IdentityStartupError) -> ClientRegistry? {
        guard let file = oauthClients else { return nil }
        guard let data = FileManager.default.contents(atPath: file.path) else {
            throw .unreadableClients("\(file.path): cannot be read")
        }
        do throws(ClientRegistry.ParseError) { return try ClientRegistry(json: data) } catch {
            throw .unreadableClients("\(file.path): \(error)")
        }
    }
}
