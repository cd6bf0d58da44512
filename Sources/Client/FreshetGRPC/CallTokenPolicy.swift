// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if GRPC
    internal import FreshetKit

    /// Decides which tokens calls may use, and which refusals cause a refresh.
    struct CallTokenPolicy {
        /// The session of the first token.
        private var sessionID: String?
        /// The newest token that replaced a refused one, until a call was accepted with it.
        private var unproven: AccessToken?

        /// Whether a token belongs to the session in which the calls began.
        mutating func admits(_ token: AccessToken) -> Bool {
            if sessionID == nil { sessionID = token.sessionID }
            return sessionID == token.sessionID
        }

        mutating func accepted(_ token: AccessToken) {
            if unproven == token { unproven = nil }
        }

        mutating func replaced(_ token: AccessToken, by newer: AccessToken) {
            if token != newer { unproven = newer }
        }

        /// Whether a refused token causes a refresh.
        ///
        /// The refusal of a retry is final if its token already replaced a refused one: the server refuses every token.
        /// For a retry after another error, such as `UNAVAILABLE`, the token may have expired meanwhile.
        func mayReplace(_ token: AccessToken, ofRetry isRetry: Bool) -> Bool { !isRetry || unproven != token }
    }
#endif
