// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The body of `PUT /v1/me/profile`, and of the response to `GET`.
package struct Profile: Codable, Equatable, Sendable {
    /// The name in the app.
    ///
    /// It does not have to be unique: the app's own backend decides that.
    package var username: String?
    /// The full name.
    package var name: String?

    package init(username: String? = nil, name: String? = nil) {
        self.username = username
        self.name = name
    }
}
