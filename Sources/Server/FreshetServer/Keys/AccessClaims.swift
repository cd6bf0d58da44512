// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire

/// What an access token of this server says (RFC 9068 section 2.2, and `sid`).
struct AccessClaims: Equatable, Sendable {
    var user: UUID
    var session: SessionID
    /// The OAuth client that it was issued to; `nil` for the app itself.
    var client: String?
    var issuedAt: Timestamp
    /// The token is refused from this moment on.
    var expiresAt: Timestamp
    /// When the user proved who he is, by signing in (`auth_time` of OpenID Connect Core section 2).
    var authenticatedAt = Timestamp(milliseconds: 0)
}
