// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetKit

/// The behaviour of a client after a failed attempt.
package enum RetryRule: Equatable, Sendable {
    /// A number of consecutive attempts for each request that needs a token.
    case atOnce(attempts: Int)
    /// Exponential backoff with full jitter, until the caller's timeout.
    ///
    /// Remembered delays also apply to later callers; otherwise each request starts anew.
    case backoff(RetryBackoff, isRemembered: Bool)
}
