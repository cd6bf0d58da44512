// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The body of `POST /v1/password`: the new password, and the current one or a mailed code.
package struct PasswordUpdate: Codable, Equatable, Sendable, Masked {
    package var newPassword: String
    package var currentPassword: String?
    /// The attempt of a mailed code; no access token is needed with it.
    package var attempt: String?
    package var code: String?
    /// Whether the user's other sessions end; the default is true with a code, else false.
    package var endOtherSessions: Bool?

    package init(
        newPassword: String,
        currentPassword: String? = nil,
        attempt: String? = nil,
        code: String? = nil,
        endOtherSessions: Bool? = nil
    ) {
        self.newPassword = newPassword
        self.currentPassword = currentPassword
        self.attempt = attempt
        self.code = code
        self.endOtherSessions = endOtherSessions
    }

    package var mask: String { "PasswordUpdate(•••)" }

    private enum CodingKeys: String, CodingKey {
        case attempt, code
        case newPassword = "new_password"
        case currentPassword = "current_password"
        case endOtherSessions = "end_other_sessions"
    }
}

/// The body of `POST /v1/link/email`, `/v1/link/email/verify` and `/v1/link/apple`.
///
/// Each uses the members that it needs.
package struct LinkRequest: Codable, Equatable, Sendable, Masked {
    package var email: String?
    package var attempt: String?
    package var code: String?
    package var identityToken: String?
    package var nonce: String?
    /// The current password, required if the sign-in is not fresh.
    package var currentPassword: String?

    package init(
        email: String? = nil,
        attempt: String? = nil,
        code: String? = nil,
        identityToken: String? = nil,
        nonce: String? = nil,
        currentPassword: String? = nil
    ) {
        self.email = email
        self.attempt = attempt
        self.code = code
        self.identityToken = identityToken
        self.nonce = nonce
        self.currentPassword = currentPassword
    }

    package var mask: String { "LinkRequest(•••)" }

    private enum CodingKeys: String, CodingKey {
        case email, attempt, code, nonce
        case identityToken = "identity_token"
        case currentPassword = "current_password"
    }
}
