// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetEngine
import FreshetWire
import Logging

/// Codes on their way by mail, whatever they are for.
struct MailedCodes: Sendable {
    let database: any ServerDatabase
    let mail: MailTransport
    let key: SymmetricKey
    let lifetime: Duration
    let limiter: AttemptLimiter
    let budgets: SignInBudgets
    let clock: ServerClock
    let policy = CodePolicy()

    /// Sends a code.
    ///
    /// The answer and the work are the same whether or not the address has an account: an attempt is stored either way,
    /// and the mail leaves later.
    ///
    /// - Parameters:
    ///   - purpose: What it is for; one to choose a password goes to nobody who has no account.
    ///   - email: Where it goes.
    ///   - requester: Who asks.
    ///   - device: A device that the account knows, if it asks.
    ///   - owner: Who alone may use it.
    /// - Returns: The attempt that the code belongs to.
    /// - Throws: `tooManyRequests` if the address had too many, or whatever the database says.
    func send(
        _ purpose: CodeAttemptRow.Purpose,
        to email: EmailAddress,
        from requester: Requester,
        device: String? = nil,
        for owner: UUID? = nil
    ) async throws -> CodeAttempt {
        let reading = clock.reading()
        let now = reading.now
        let asker = SignInBudgets.Asker(account: email.text, source: requester.source, device: device)
        try limiter.take(budgets.codeRequest(asker), now: now)
        let digits = String(Int.random(in: 0..<1_000_000))
        let code = String(repeating: "0", count: 6 - digits.count) + digits
        let id = Intent.random().text
        let row = CodeAttemptRow(
            id: id,
            email: email,
            purpose: purpose,
            codeHash: hash(code, of: id, for: owner),
            expiresAt: now + lifetime
        )
        let hasAccount = try await database.durably { database in
            try CodeAttemptTable.insert(row, forgettingBefore: reading.deletionLimit, in: database)
            return try UserTable.has(email, in: database)
        }
        let kind: MailMessage.Kind =
            switch purpose {
            case .login: .loginCode
            case .link: .linkCode
            case .reset: .resetCode
            }
        var message = MailMessage.code(kind, code, attempt: id, to: email, until: row.expiresAt, lifetime: lifetime)
        message.isForNobody = purpose == .reset && !hasAccount
        mail.send(message)
        return CodeAttempt(attempt: id, expiresIn: lifetime.wholeSeconds)
    }

    /// The keyed hash of a code, which is all that is stored of it.
    func hash(_ code: String, of attempt: String, for owner: UUID? = nil) -> [UInt8] {
        let name = owner.map { "\0\(SessionID($0))" } ?? ""
        let message = Data("freshet-code1\0\(attempt)\0\(code)\(name)".utf8)
        return Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
    }

    static let refusal = APIError(.invalidGrant, "the code is wrong, used or too old")
}
