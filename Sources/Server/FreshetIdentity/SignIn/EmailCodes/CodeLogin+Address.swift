// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetDatabase
import FreshetEngine
package import FreshetWire

extension CodeLogin {
    /// Opens a session for a code sent to an address, for apps whose clients keep no attempt id.
    ///
    /// The code may be any of those sent to the address: a user can use each of them after requesting several codes on
    /// different devices or networks, or if attackers request codes for the same address. Any client that knows the
    /// address can try a code, so a wrong code counts against each of these attempts and against the address.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - address: The address to which it was sent.
    ///   - device: The description of the session's device.
    ///   - knownDevice: A refresh token of an earlier session, as in a request for a code.
    ///   - requester: The client of the request.
    ///   - sessionPolicy: The policy of the session.
    /// - Returns: The session's first tokens.
    /// - Throws: `invalidGrant` for a code that is not valid, `tooManyRequests`, or `unavailable` while the clock is
    ///   not trusted.
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
        // Verification continues without an attempt, because the response and its cost must be those of a wrong code.
        let verification = CodeVerification(attempt: attempts.first ?? "none", code: code, device: device)
        let grant = try await codes.limiter.attempt(codes.limits.codeByAddress(origin), now: now) {
            // An attempt may exist, but appear expired because of an untrusted clock.
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
