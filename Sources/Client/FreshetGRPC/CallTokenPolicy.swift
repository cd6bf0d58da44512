// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if GRPC
    internal import FreshetKit

    /// Decides which tokens calls may use, and which refusals cause a refresh.
    struct CallTokenPolicy {
        /// The session of the first token.
        private var sessionID: String?
        /// The newest token that replaced a refused one, until the server accepts a call with it; `nil` if there is
        /// none.
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
        /// If the server refuses a retry whose token already replaced a refused one, the refusal is final: the server
        /// refuses every token. After another error, such as `UNAVAILABLE`, the token may have expired before the
        /// retry.
        func mayReplace(_ token: AccessToken, ofRetry isRetry: Bool) -> Bool { !isRetry || unproven != token }
    }
#endif
