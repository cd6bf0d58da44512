// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetAppBackends
import FreshetTesting

/// A request to revoke the tokens issued so far.
struct Revocation: Decodable {
    enum Tokens: String, Decodable {
        case access, refresh, all
    }

    var tokens: Tokens

    func apply(to backend: AppBackend) {
        switch tokens {
        case .access: backend.revokeAccessTokens()
        case .refresh: backend.revokeRefreshTokens()
        case .all: backend.endSessions()
        }
    }
}
