// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetKit

/// Identifies an access token without storing it.
struct TokenIdentity: Hashable, Sendable {
    var sessionID: String?
    var generation: UInt64?
    var expiresAt: Date?

    init(_ status: SessionStatus) {
        sessionID = status.sessionID
        generation = status.generation
        expiresAt = status.accessTokenExpiresAt
    }
}
