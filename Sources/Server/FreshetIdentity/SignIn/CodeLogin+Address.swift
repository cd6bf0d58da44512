// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetDatabase
import FreshetEngine
package import FreshetWire

extension CodeLogin {
    /// Opens a session for the code of an address, for apps whose clients keep no attempt.
    ///
    /// The code may be any of those that the address got: who asked for one on a known device, or has changed networks
    /// since, has the right code all the same, and so has somebody whose address strangers ask codes for. Whoever knows the
    /// address may try, so a wrong code counts against each of these attempts and against the address.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - address: The address that it was sent to.
    ///   - device: What the session's device is called.
    ///   - knownDevice: What the client has of an earlier session, as when it asks for a code.
    ///   - requester: Where the request comes from.
    ///   - sessionPolicy: The session's sessionPolicy.
    /// - Returns: The session's first tokens.
    /// - Throws: `invalidGrant` for a code that opens nothing, `tooManyRequests`, or `unavailable` while the clock is not
    ///   trusted.
    package func verify(
        _ code: String,
        of address: String,
        device: Device?,
        knownDevice: String? = nil,
        from requester: Requester,
        sessionPolicy: SessionPolicy
    ) async throws -> SessionTokens {
        let email = try PasswordLogin.address(address)
        let clock = codes.clock.reading()
        let now = clock.now
        let known = try await sessions.knownDevice(knownDevice, of: email)
        let origin = try await sessions.origin(of: email, requester, device: known)
        let attempts = try await codes.database.read {
            try CodeAttemptTable.open(of: email, from: origin.text, at: now, in: $0)
        }
        // Without an attempt the rest goes on all the same, so that the answer and its cost are those of a wrong code.
        let verification = CodeVerification(attempt: attempts.first ?? "none", code: code, device: device)
        let grant = try await codes.limiter.attempt(codes.limits.codeByAddress(origin), now: now) {
            // It may be there, and be over by a clock that is not trusted.
            if attempts.isEmpty, !clock.isTrusted { throw APIError.clockNotTrusted }
            do {
                let attempts = attempts.isEmpty ? nil : attempts
                return try await verify(verification, of: attempts, from: requester, sessionPolicy: sessionPolicy)
            } catch let error as APIError where error == EmailCodes.refusal {
                return nil
            }
        }
        guard let grant else { throw EmailCodes.refusal }
        return grant
    }
}
