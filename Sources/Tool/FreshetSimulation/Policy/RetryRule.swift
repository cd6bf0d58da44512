// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetKit

/// What a client does after a failed attempt.
package enum RetryRule: Equatable, Sendable {
    /// So many attempts in a row for each request that needs a token.
    case atOnce(attempts: Int)
    /// Growing pauses with full jitter, for as long as the caller has patience.
    ///
    /// Remembered pauses hold for whoever asks next; else each request begins anew.
    case backoff(RetryBackoff, isRemembered: Bool)
}
