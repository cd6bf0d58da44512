// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetEngine

/// The operator's settings of sign-in.
package struct SignInConfiguration: Equatable, Sendable {
    /// The rate limits of sign-in attempts.
    package var limits = SignInRateLimits()
    /// The maximum number of concurrent sessions per user; `nil` for no limit.
    ///
    /// A new session ends the least recently used one.
    package var sessionsPerUser: Int?
    /// The operator's reverse proxies, whose `X-Forwarded-For` is trusted.
    package var trustedProxies: [AddressRange] = []

    /// Whether an account can be created with a password, which reveals whether an address has one.
    ///
    /// If not, it is created with a mailed code, with the same response for every address, and gets a password later.
    package var allowsPasswordSignUp = true
    /// A file with the SHA-1 hashes of breached passwords, sorted, one per line.
    package var breachedPasswords: URL?

    package init() {}

    package func validate() throws(IdentityStartupError) {
        guard sessionsPerUser.map({ $0 > 0 }) ?? true else { throw .sessionLimitNotPositive }
    }
}
