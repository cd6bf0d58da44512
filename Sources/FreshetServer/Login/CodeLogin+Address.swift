// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire

extension CodeLogin {
    /// Opens a session for the code of an address, for apps whose clients keep no attempt.
    ///
    /// Whoever knows the address may try, so wrong codes count against the attempt and against the address.
    func verify(_ code: String, of address: String, device: Device?, terms: SessionTerms) async throws -> Grant {
        let email = try PasswordLogin.address(address)
        let now = clock()
        try tries.take("code \(email)", now: now)
        let attempt = try await database.read { try CodeAttemptTable.open(of: email, at: now, in: $0) }
        // Without an attempt the rest goes on all the same, so that the answer and its cost are those of a wrong code.
        let verification = CodeVerification(attempt: attempt ?? "none of \(email)", code: code, device: device)
        return try await verify(verification, terms: terms)
    }
}
