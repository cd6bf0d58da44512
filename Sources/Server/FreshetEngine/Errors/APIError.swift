// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetWire

/// An error as a client is told of it.
package struct APIError: Error, Equatable, Sendable {
    package var code: ErrorCode
    package var description: String?
    /// Why a session ended, if it did.
    package var reason: EndReason?
    /// How long to wait before another try.
    package var retryAfter: Duration?
    /// Which methods there are instead.
    package var allow: [String] = []

    package init(_ code: ErrorCode, _ description: String? = nil, reason: EndReason? = nil, retryAfter: Duration? = nil)
    {
        self.code = code
        self.description = description
        self.reason = reason
        self.retryAfter = retryAfter
    }

    /// The error of a request that arrives while the server has enough to do; each client is told another time to retry.
    package static func overloaded(_ description: String) -> APIError {
        APIError(.unavailable, description, retryAfter: .seconds(Int.random(in: AdmissionLimits.retryAfterSeconds)))
    }

    /// The error of a request that only a time speaks against while the clock is not trusted.
    package static let clockNotTrusted = APIError(
        .unavailable,
        "the server's clock is not trusted, so expiry cannot be decided; retry later",
        retryAfter: .seconds(60)
    )

    /// The error of a request whose sign-in is not fresh enough (RFC 9470).
    package static let stepUpRequired = APIError(
        .stepUpRequired,
        "sign in again first, or show the current password"
    )
}
