// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Whose session it is.
package struct UserInfo: Codable, Equatable, Sendable {
    /// Stable for the life of the account; the `sub` of access tokens.
    package var id: String
    package var email: String?

    package init(id: String, email: String? = nil) {
        self.id = id
        self.email = email
    }
}
