// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

// snippet.hide
import Foundation
import FreshetKit

#if canImport(Security)
    guard let server = URL(string: CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080") else { exit(64) }
    // snippet.show
    let session = try AuthSession(
        contract: .melchat,
        baseURL: server,
        store: .keychain(service: "com.example.app.session")
    )
    // Once: what an older version of the app kept. The contract says under which keys.
    try await session.importSession(from: LegacyKeychainItems())
    // snippet.hide
    print(session.state)
#else
    print("This system has no keychain.")
#endif
