// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
import FreshetContract
import FreshetEngine
import FreshetJWT
import FreshetWire
import Logging

/// The source of Apple's public keys.
package struct AppleKeys: Sendable {
    /// The URL at which Apple publishes its keys.
    package static let address = "https://appleid.apple.com/auth/keys"

    /// Returns the current keys; fetches them again if none has this id.
    var current: @Sendable (_ keyID: String?) async throws -> JWKSet

    /// Reads a key set (RFC 7517) from a file at each sign-in, so that replacing it needs no restart.
    package static func file(_ file: URL) -> AppleKeys {
        AppleKeys { _ in try AppleJWT.keys(Data(contentsOf: file)) }
    }

    /// Fetches a key set from a URL and caches it.
    package static func fetched(_ cache: AppleKeyCache) -> AppleKeys {
        AppleKeys { try await cache.keys(knowing: $0) }
    }

    /// Returns the keys for verifying a JWT.
    ///
    /// - Throws: `unavailable`: while the keys cannot be read, no token is refused permanently.
    func known(for text: String, log: Logger) async throws -> JWKSet {
        do { return try await current(AppleJWT.keyID(of: text)) } catch {
            log.error("Apple's keys cannot be read", error: error)
            throw APIError(.unavailable, "Apple's keys cannot be read now", retryAfter: .seconds(30))
        }
    }
}
