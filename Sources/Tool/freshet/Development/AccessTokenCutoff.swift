// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine

/// The time before which access tokens were issued that are refused, as if they had expired.
///
/// The issue time of a token is in whole seconds. A cutoff within a second could not tell the tokens before it from
/// those after it, so it applies from the next full second, and a token that is issued from then on is accepted.
struct AccessTokenCutoff: Equatable, Sendable {
    /// The full second; `nil` while all tokens are accepted.
    private(set) var second: Timestamp?

    /// Expires all tokens that were issued so far.
    mutating func expireAll(at now: Timestamp) {
        second = Timestamp(milliseconds: (now.milliseconds / 1000 + 1) * 1000)
    }

    /// Whether a token that was issued at a time is accepted now.
    func accepts(issuedAt: Timestamp, at now: Timestamp) -> Bool {
        guard let second, now >= second else { return true }
        return issuedAt >= second
    }
}
