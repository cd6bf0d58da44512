// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

// snippet.hide
import Foundation
import FreshetKit

guard let server = URL(string: CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080") else { exit(64) }
struct OldTokens {
    var access: String
    var refresh: String?
    func delete() {}
}
func readOldTokens() throws -> OldTokens? { OldTokens(access: "old-access", refresh: "old-refresh") }
let session = try AuthSession(contract: .creatist, baseURL: server, store: InMemoryStore())
// snippet.show
if case .signedOut(nil) = session.state, let old = try readOldTokens() {
    // A lifetime of zero: the first call refreshes, because the age of the access token is unknown.
    let tokens = TokenGrant(accessToken: old.access, refreshToken: old.refresh, expiresIn: .zero)
    try await session.signIn(.tokens(tokens))
    old.delete()
}
// snippet.hide
print(session.state)
