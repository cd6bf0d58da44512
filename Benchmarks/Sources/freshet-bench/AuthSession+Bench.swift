// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit

extension AuthSession {
    /// A session of the contract `oauth2` that is stored in memory and signed in.
    static func bench(at url: URL, over transport: any HTTPTransport, with tokens: TokenGrant) async throws
        -> AuthSession
    {
        var configuration = AuthSession.Configuration()
        configuration.contractValues = ["client_id": "bench"]
        let session = try AuthSession(
            contract: .oauth2,
            baseURL: url,
            store: InMemoryStore(),
            configuration: configuration,
            transport: transport
        )
        try await session.signIn(.tokens(tokens))
        return session
    }
}
