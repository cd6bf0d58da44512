// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if Verification
    /// Sends a GET request to an issuer, for its keys or its ended sessions.
    ///
    /// Must not follow redirects, must time out after ``IssuerRequest/timeout``, and must not read more than
    /// ``IssuerRequest/maximumLength`` bytes of a body.
    public typealias IssuerFetch = @Sendable (IssuerRequest) async throws -> IssuerResponse
#endif
