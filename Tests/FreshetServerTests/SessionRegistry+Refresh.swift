// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import Testing

@testable import FreshetIdentity
@testable import FreshetServer

extension SessionRegistry {
    /// Presents the body of a native refresh behind the routes, and returns the tokens issued.
    func refresh(_ body: RefreshRequest) async throws -> SessionTokens {
        try #require(try await present(TokenRequest(.refresh(intent: body.intent), token: body.refreshToken)))
    }
}
