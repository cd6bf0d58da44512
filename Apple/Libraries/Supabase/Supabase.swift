// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

public struct SupabaseClientOptions: Sendable {
    public struct AuthOptions: Sendable {
        public init(autoRefreshToken: Bool = true, accessToken: (@Sendable () async throws -> String?)? = nil) {}
    }

    public init(auth: AuthOptions = AuthOptions()) {}
}

public final class SupabaseClient: Sendable {
    public init(supabaseURL: URL, supabaseKey: String, options: SupabaseClientOptions = SupabaseClientOptions()) {}
}
