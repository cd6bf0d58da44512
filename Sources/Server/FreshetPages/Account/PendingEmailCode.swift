// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire
import Hummingbird

/// A sign-in attempt that waits for the user to enter the code, which is only in the email.
///
/// The browser sends it, so that its address is only displayed: the address that a code has proved is the server's.
struct PendingEmailCode: Equatable, Sendable {
    static let cookie = PageCookie("account-code")
    /// The maximum length of the cookie; with the longest attempt and address, it is shorter.
    static let longest = 600

    var attempt: String
    var email: String

    init(attempt: String, email: String) {
        self.attempt = attempt
        self.email = email
    }

    /// Parses the cookie of a request.
    init?(_ request: Request) {
        guard let value = Self.cookie.value(in: request), value.utf8.count <= Self.longest else {
            return nil
        }
        let parts = value.unicodeScalars.split(separator: ".").map(String.init)
        guard parts.count == 2, let bytes = Base64URL.decode(parts[1]),
            let email = String(utf8: bytes)
        else { return nil }
        self.init(attempt: String(parts[0]), email: email)
    }

    var cookieValue: String { "\(attempt).\(Base64URL.encode(Array(email.utf8)))" }
}

extension PendingEmailCode: Masked {
    var mask: String { "sent code •••" }
}
