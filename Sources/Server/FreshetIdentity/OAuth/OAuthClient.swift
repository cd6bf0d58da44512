// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire

/// A program that the operator knows by name (RFC 6749 section 2).
package struct OAuthClient: Equatable, Sendable {
    package enum Kind: String, Sendable {
        /// An app on somebody's device: it can keep no secret, so its id proves nothing.
        case `public`
        /// A server, which proves that it is itself.
        case confidential
    }

    package var id: String
    package var kind: Kind
    /// What a confidential client's secret is held against.
    package var secret: ClientSecretHash?
}
