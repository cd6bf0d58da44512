// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

extension ServerConfiguration {
    /// Reads the register of clients, if there is one.
    func clientRegister() throws(StartupError) -> ClientRegister? {
        guard let file = oauthClients else { return nil }
        guard let data = FileManager.default.contents(atPath: file.path) else {
            throw .unreadableClients("\(file.path): cannot be read")
        }
        do throws(ClientRegister.Mistake) { return try ClientRegister(json: data) } catch {
            throw .unreadableClients("\(file.path): \(error)")
        }
    }
}
