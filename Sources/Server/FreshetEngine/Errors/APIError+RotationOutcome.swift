// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire

extension APIError {
    /// The error for an outcome without tokens (PROTOCOL.md, "HTTP shape").
    package init(_ answer: RotationOutcome) {
        switch answer {
        case .ended(let reason):
            self.init(.invalidGrant, "the session is over", reason: reason)
        case .superseded:
            self.init(.superseded, "a newer refresh token of this session is in use")
        case .refused(.forged):
            self.init(.invalidGrant, "not a refresh token of this server")
        case .refused(.keyUnavailable):
            self.init(.unavailable, "a token under a key that this server does not have", retryAfter: .seconds(30))
        case .refused(.unsupportedMode):
            self.init(.unavailable, "a session that only a newer server can refresh", retryAfter: .seconds(30))
        case .refused(.intentRequired):
            self.init(.invalidRequest, "a refresh of this session needs an intent")
        case .refused(.elsewhere):
            // The refusal is not final: the session can be refreshed at the path where it was opened.
            self.init(.invalidRequest, "this session can be refreshed only through the API that opened it")
        case .refused(.otherClient):
            // RFC 6749 section 5.2: final for this client; the session is unchanged.
            self.init(.invalidGrant, "the token was issued to another client")
        case .refused(.clockNotTrusted):
            self = .clockNotTrusted
        case .served, .recorded:
            self.init(.serverError, "an answer without an error")
        }
    }
}
