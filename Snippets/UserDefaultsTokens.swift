// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

// snippet.hide
import Foundation
import FreshetKit

guard let server = URL(string: CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080") else { exit(64) }
// snippet.show
/// The tokens that earlier versions of the app kept in UserDefaults.
struct UserDefaultsTokens: LegacyTokenSource {
    func text(of item: LegacyItem) throws(SessionStoreError) -> String? {
        UserDefaults.standard.string(forKey: item.key)
    }

    func remove(_ item: LegacyItem) throws(SessionStoreError) {
        UserDefaults.standard.removeObject(forKey: item.key)
    }
}
// snippet.hide
let session = try AuthSession(contract: .creatist, baseURL: server, store: InMemoryStore())
print(try await session.importSession(from: UserDefaultsTokens()))
