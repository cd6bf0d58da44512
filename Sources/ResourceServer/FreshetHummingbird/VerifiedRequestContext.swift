// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetVerification
package import Hummingbird

/// A request context with the claims of the request's access token.
package protocol VerifiedRequestContext: RequestContext {
    /// `nil` until ``BearerMiddleware`` has verified the token.
    var token: VerifiedToken? { get set }
}
