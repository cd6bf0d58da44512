// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if GRPC
    internal import FreshetKit

    /// Which tokens calls may be sent with, and which refusals are followed by a refresh.
    struct CallTokenPolicy {
        /// The session of the first token.
        private var sessionID: String?
        /// The newest token that took the place of a refused one, until a call was accepted with it.
        private var unproven: AccessToken?

        /// Whether a token is of the session that the calls began in.
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

        /// Whether a refused token is worth a refresh.
        ///
        /// The refusal of a retry is final if its token replaced a refused one already: the server refuses whatever it gets. A
        /// retry after anything else, as after `UNAVAILABLE`, may find a token that has expired meanwhile.
        func mayReplace(_ token: AccessToken, ofRetry isRetry: Bool) -> Bool { !isRetry || unproven != token }
    }
#endif
