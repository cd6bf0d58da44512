// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire

/// An OAuth client that the operator has registered (RFC 6749 section 2).
package struct OAuthClient: Equatable, Sendable {
    enum Kind: String, Sendable {
        /// An app on a user's device: it cannot keep a secret, so its ID does not authenticate it.
        case `public`
        /// A server, which authenticates with a secret.
        case confidential
    }

    package var id: String
    var kind: Kind
    /// The hash of a confidential client's secret.
    var secret: ClientSecretHash?
}
