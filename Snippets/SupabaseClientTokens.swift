// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

// snippet.hide
import Foundation
import FreshetKit

#if canImport(Supabase)
    import Supabase

    guard let project = URL(string: "https://project.supabase.co") else { exit(64) }
    let key = "the project's publishable key"
    let contractFile = URL(filePath: "supabase.json")
    // snippet.show
    var configuration = AuthSession.Configuration.app()
    configuration.contractValues = ["api_key": key]
    let session = try AuthSession(
        contract: Contract(json: Data(contentsOf: contractFile)),
        baseURL: project,
        store: .keychain(service: "com.example.app.session"),
        configuration: configuration
    )
    try await session.importSession(from: LegacyKeychainItems())

    let client = SupabaseClient(
        supabaseURL: project,
        supabaseKey: key,
        options: SupabaseClientOptions(
            auth: .init(
                autoRefreshToken: false,
                accessToken: {
                    do { return try await session.accessToken().value } catch SessionError.signedOut { return nil }
                }
            )
        )
    )
    // snippet.hide
    print(session.state, client)
#else
    print("supabase-swift is not a dependency of this package.")
#endif
