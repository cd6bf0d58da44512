// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetVerification
package import Hummingbird

/// A request's context that carries what its access token says.
package protocol VerifiedRequestContext: RequestContext {
    /// `nil` until ``BearerMiddleware`` has let the request in.
    var token: VerifiedToken? { get set }
}
