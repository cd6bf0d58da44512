// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The user of a session.
package struct UserInfo: Codable, Equatable, Sendable {
    /// The ID, which never changes for an account; the `sub` of access tokens.
    package var id: String
    package var email: String?

    package init(id: String, email: String? = nil) {
        self.id = id
        self.email = email
    }
}
