// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Sends a GET request to an issuer, for its keys or its ended sessions.
///
/// It must not follow redirects, must give up after ``IssuerRequest/timeout``, and must not read more than
/// ``IssuerRequest/maximumLength`` bytes of a body.
package typealias IssuerFetch = @Sendable (IssuerRequest) async throws -> IssuerResponse
