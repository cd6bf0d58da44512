// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

// snippet.hide
import Foundation
import FreshetKit

#if canImport(Security)
    guard let server = URL(string: CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080") else { exit(64) }
    // snippet.show
    let location = LegacyTokenLocation(
        access: "accessToken",
        refresh: "refreshToken",
        expiresAt: .seconds("tokenExpirationTime")
    )
    let session = try AuthSession(
        contract: .simplejwt.importing(location),
        baseURL: server,
        store: .keychain(service: "com.example.app.session"),
        configuration: .app()
    )
    // At every launch, before the state is read: tokens are imported once.
    try await session.importSession(from: LegacyKeychainItems(service: "com.example.app"))
    // snippet.hide
    print(session.state)
#else
    print("This system has no keychain.")
#endif
