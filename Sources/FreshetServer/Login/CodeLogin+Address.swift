// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire

extension CodeLogin {
    /// Opens a session for the code of an address, for apps whose clients keep no attempt.
    ///
    /// Whoever knows the address may try, so wrong codes count against the attempt and against the address.
    func verify(
        _ code: String,
        of address: String,
        device: Device?,
        from requester: Requester,
        terms: SessionTerms
    ) async throws -> Grant {
        let email = try PasswordLogin.address(address)
        let clock = codes.clock.reading()
        let now = clock.now
        let origin = try await sessions.origin(of: email, requester)
        let attempt = try await codes.database.read {
            try CodeAttemptTable.open(of: email, from: requester.place, at: now, in: $0)
        }
        // Without an attempt the rest goes on all the same, so that the answer and its cost are those of a wrong code.
        let verification = CodeVerification(attempt: attempt ?? "none", code: code, device: device)
        let grant = try await codes.limiter.attempt(codes.limits.codeByAddress(origin), now: now) {
            // It may be there, and be over by a clock that is not trusted.
            if attempt == nil, !clock.isTrusted { throw APIError.clockNotTrusted }
            do {
                return try await verify(verification, from: requester, terms: terms, isCounted: true)
            } catch let error as APIError where error == MailedCodes.refusal {
                return nil
            }
        }
        guard let grant else { throw MailedCodes.refusal }
        return grant
    }
}
