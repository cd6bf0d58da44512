// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine

/// An event of an Apple server-to-server notification with a verified signature.
package struct AppleAccountEvent: Sendable {
    /// The type of the event, such as `consent-revoked`.
    package let kind: String
    /// The `sub` claim of the user's identity tokens.
    package let subject: String
    package let issuedAt: Timestamp

    package init(kind: String, subject: String, issuedAt: Timestamp) {
        self.kind = kind
        self.subject = subject
        self.issuedAt = issuedAt
    }
}
