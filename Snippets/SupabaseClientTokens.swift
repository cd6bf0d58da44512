// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

// snippet.hide
import Foundation
import FreshetKit

#if canImport(Supabase)
    import Supabase

    guard let project = URL(string: "https://project.supabase.co") else { exit(64) }
    let key = "the project's publishable key"
    // snippet.show
    var configuration = AuthSession.Configuration.app()
    configuration.contractValues = ["api_key": key]
    func member(_ name: String) -> LegacyTokenLocation.Place {
        .init("sb-PROJECT-auth-token", service: "supabase.gotrue.swift", at: name)
    }
    let location = LegacyTokenLocation(
        access: member("access_token"),
        refresh: member("refresh_token"),
        expiresAt: .seconds(member("expires_at"))
    )
    let session = try AuthSession(
        contract: .supabase.importing(location),
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
