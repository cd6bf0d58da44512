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
        let asker = SignInBudgets.Asker(account: email.text, source: requester.source)
        try codes.limiter.take(codes.budgets.codeTry(asker), now: now)
        let attempt = try await codes.database.read { try CodeAttemptTable.open(of: email, at: now, in: $0) }
        // It may be there, and be over by a clock that is not trusted.
        if attempt == nil, !clock.isTrusted { throw APIError.clockNotTrusted }
        // Without an attempt the rest goes on all the same, so that the answer and its cost are those of a wrong code.
        let verification = CodeVerification(attempt: attempt ?? "none of \(email)", code: code, device: device)
        return try await verify(verification, from: requester, terms: terms)
    }
}
