// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetWire

/// An error that is sent to the client.
package struct APIError: Error, Equatable, Sendable {
    package var code: ErrorCode
    package var description: String?
    /// The reason that the session ended, if it has ended.
    package var reason: EndReason?
    /// The time to wait before a retry.
    package var retryAfter: Duration?
    /// The methods that the path supports.
    package var allow: [String] = []

    package init(_ code: ErrorCode, _ description: String? = nil, reason: EndReason? = nil, retryAfter: Duration? = nil)
    {
        self.code = code
        self.description = description
        self.reason = reason
        self.retryAfter = retryAfter
    }

    /// The error for a request that the overloaded server refuses, with a random time to retry.
    package static func overloaded(_ description: String) -> APIError {
        APIError(.unavailable, description, retryAfter: .seconds(Int.random(in: AdmissionLimits.retryAfterSeconds)))
    }

    /// The error for a request that would be refused because of a time, while the clock is not trusted.
    package static let clockNotTrusted = APIError(
        .unavailable,
        "the server's clock is not trusted, so expiry cannot be decided; retry later",
        retryAfter: .seconds(60)
    )

    /// The error for a request whose sign-in is not fresh enough (RFC 9470).
    package static let stepUpRequired = APIError(
        .stepUpRequired,
        "sign in again first, or show the current password"
    )
}
