// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetEngine
import FreshetWire
import Hummingbird

/// A cookie that marks a browser in which the account's user has signed in before.
///
/// Sign-in attempts from such a browser have separate rate limits, so attackers cannot lock out the account's owner.
/// The cookie grants no access. It contains an ID of the browser and the time of issue, with a MAC over both and over
/// the account's address, which the cookie does not contain.
struct KnownBrowser: Sendable {
    static let cookie = PageCookie("account-known")
    /// Browsers store no cookie for longer (RFC 6265bis section 5.5).
    static let lifetime = Duration.seconds(400 * 86_400)

    let name: String

    /// Creates the cookie of a new browser.
    init() { name = Base64URL.encode(SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) }) }

    /// Parses the cookie of a request; `nil` if there is none, or if it has expired or belongs to another account.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - email: The account's address.
    ///   - key: The key of the MAC.
    ///   - now: The current time.
    ///   - forgotten: The time at which the account's devices were last forgotten; a cookie from before is of no use.
    init?(
        _ request: Request,
        of email: EmailAddress,
        key: SymmetricKey,
        now: Timestamp,
        devicesForgottenAt forgotten: Timestamp?
    ) {
        let parts = Self.cookie.value(in: request)?.unicodeScalars.split(separator: ".").map(String.init) ?? []
        guard parts.count == 3, parts[0].utf8.count == 22, let seconds = Int64(parts[1]), seconds >= 0,
            let code = Base64URL.decode(parts[2]),
            HMAC<SHA256>.isValidAuthenticationCode(
                code,
                authenticating: Self.message(parts[0], seconds, email),
                using: key
            )
        else { return nil }
        let issued = Timestamp(milliseconds: seconds * 1000)
        guard now - issued < Self.lifetime else { return nil }
        // Its time is in seconds.
        if let forgotten, issued + .seconds(1) <= forgotten { return nil }
        name = parts[0]
    }

    /// The cookie's value.
    func value(of email: EmailAddress, key: SymmetricKey, now: Timestamp) -> String {
        let seconds = now.milliseconds / 1000
        let code = HMAC<SHA256>.authenticationCode(for: Self.message(name, seconds, email), using: key)
        return "\(name).\(seconds).\(Base64URL.encode(Array(code)))"
    }

    /// Returns the text that the MAC covers.
    ///
    /// The encoding is unambiguous, because neither a name nor a number contains a zero byte.
    private static func message(_ name: String, _ seconds: Int64, _ email: EmailAddress) -> Data {
        Data("freshet-known-browser1\0\(name)\0\(seconds)\0\(email.text)".utf8)
    }
}
