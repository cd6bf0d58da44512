// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire

/// The rules for new passwords: a minimum length, and no common passwords (NIST SP 800-63B section 5.1.1.2).
///
/// No character classes are required, and a password is never truncated or changed.
package struct PasswordRules: Sendable {
    /// Breached passwords, if the operator has a list of them.
    var breached: BreachedPasswords?

    package init(breached: BreachedPasswords? = nil) {
        self.breached = breached
    }

    func check(_ password: String, of email: EmailAddress?) throws {
        guard password.unicodeScalars.count >= PasswordHasher.minimumLength else {
            throw APIError(.invalidRequest, "a password has at least \(PasswordHasher.minimumLength) characters")
        }
        try Self.refuseOverlong(password)
        let text = password.lowercased()
        let name = email?.text.unicodeScalars.split(separator: "@").first.map(String.init)
        guard !CommonPasswords.contains(text), text != email?.text, text != name else {
            throw APIError(.invalidRequest, "this password is too common; choose another one")
        }
        guard try !(breached?.contains(password) ?? false) else {
            throw APIError(.invalidRequest, "this password leaked from another place; choose another")
        }
    }

    static func refuseOverlong(_ password: String) throws(APIError) {
        guard password.utf8.count <= PasswordHasher.maximumLength else {
            throw APIError(.invalidRequest, "a password must have at most \(PasswordHasher.maximumLength) bytes")
        }
    }
}
