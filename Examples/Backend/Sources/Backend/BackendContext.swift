// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetHummingbird
import FreshetVerification
import Hummingbird

/// A request context with the claims of the request's access token.
struct BackendContext: VerifiedRequestContext {
    var coreContext: CoreRequestContextStorage
    var token: VerifiedToken?

    init(source: ApplicationRequestContextSource) { coreContext = .init(source: source) }
}
