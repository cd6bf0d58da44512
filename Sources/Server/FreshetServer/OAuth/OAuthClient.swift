// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire

/// A program that the operator knows by name (RFC 6749 section 2).
struct OAuthClient: Equatable, Sendable {
    enum Kind: String, Sendable {
        /// An app on somebody's device: it can keep no secret, so its id proves nothing.
        case `public`
        /// A server, which proves that it is itself.
        case confidential
    }

    var id: String
    var kind: Kind
    /// What a confidential client's secret is held against.
    var secret: ClientSecretHash?
}
