// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetEngine

/// What an operator decides about signing in.
package struct SignInConfiguration: Equatable, Sendable {
    /// How often it may be tried.
    package var limits = SignInRateLimits()
    /// How many sessions a user may have at one time; `nil` for any number.
    ///
    /// The one unused for longest ends for a new one.
    package var sessionsPerUser: Int?
    /// The operator's own proxies, whose `X-Forwarded-For` is believed.
    package var trustedProxies: [AddressRange] = []

    /// Whether an account can begin with a password, which tells whether an address has one already.
    ///
    /// If not, it begins with a mailed code, whose answer is the same for every address, and gets a password later.
    package var allowsPasswordSignUp = true
    /// A file with the SHA-1 hashes of passwords that leaked, in order, one a line.
    package var breachedPasswords: URL?

    package init() {}

    package func validate() throws(IdentityStartupError) {
        guard sessionsPerUser.map({ $0 > 0 }) ?? true else { throw .sessionLimitNotPositive }
    }
}
