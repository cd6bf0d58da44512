// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract

/// Where Apple's public keys come from.
///
/// A file for now; fetching them from their address is another value of this type.
struct AppleKeys: Sendable {
    /// The keys as they are now.
    var current: @Sendable () async throws -> IdentityTokenKeys

    /// A key set (RFC 7517) in a file, read at each sign-in: whoever replaces the file needs no restart.
    static func file(_ file: URL) -> AppleKeys {
        AppleKeys { try IdentityTokenKeys(jwks: try Data(contentsOf: file)) }
    }
}
