// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
import FreshetContract
import FreshetEngine
package import FreshetVerification
import FreshetWire
package import Logging

/// Where Apple's public keys come from.
package struct AppleKeys: Sendable {
    /// Where Apple publishes them.
    package static let address = "https://appleid.apple.com/auth/keys"

    /// The keys as they are now; fetched anew if there is none of this id among them.
    package var current: @Sendable (_ keyID: String?) async throws -> JWKSet

    /// A key set (RFC 7517) in a file, read at each sign-in: whoever replaces the file needs no restart.
    package static func file(_ file: URL) -> AppleKeys {
        AppleKeys { _ in try AppleJWT.keys(Data(contentsOf: file)) }
    }

    /// A key set behind an address, kept for a while.
    package static func fetched(_ cache: AppleKeyCache) -> AppleKeys {
        AppleKeys { try await cache.keys(knowing: $0) }
    }

    /// The keys to verify a statement with.
    ///
    /// - Throws: `unavailable`: keys that cannot be read now are no verdict on anybody's token.
    package func known(for text: String, log: Logger) async throws -> JWKSet {
        do { return try await current(AppleJWT.keyID(of: text)) } catch {
            log.error("Apple's keys cannot be read", error: error)
            throw APIError(.unavailable, "Apple's keys cannot be read now", retryAfter: .seconds(30))
        }
    }
}
