// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if Hummingbird
    #if FreshetJWT
        public import FreshetJWT
    #else
        public import FreshetVerification
    #endif
    public import Hummingbird

    /// A request context with the claims of the request's access token.
    public protocol VerifiedRequestContext: RequestContext {
        /// The claims; `nil` until ``BearerMiddleware`` has verified the token.
        var token: VerifiedToken? { get set }
    }
#endif
