// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetTesting

/// A wish that tokens be refused that were granted so far.
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
