// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Crypto
import Foundation
package import FreshetDatabase
package import FreshetEngine
package import FreshetMail
import FreshetWire
import Logging

/// Issues and verifies codes sent by mail, for all their purposes.
package struct EmailCodes: Sendable {
    let database: any ServerDatabase
    let mail: MailTransport
    package let key: SymmetricKey
    package let lifetime: Duration
    let limiter: RateLimiter
    let limits: SignInRateLimits
    let clock: ServerClock
    let policy = CodePolicy()

    package init(
        database: any ServerDatabase,
        mail: MailTransport,
        key: SymmetricKey,
        lifetime: Duration,
        limiter: RateLimiter,
        limits: SignInRateLimits,
        clock: ServerClock
    ) {
        self.database = database
        self.mail = mail
        self.key = key
        self.lifetime = lifetime
        self.limiter = limiter
        self.limits = limits
        self.clock = clock
    }

    /// The session that requests a code to add an address to its account.
    struct LinkOwner: Sendable {
        var claims: AccessClaims
        /// The requirement of the session at the time the code is stored.
        var requirement: SessionRequirement
    }

    /// Sends a code.
    ///
    /// Response and work are the same whether or not the address has an account: an attempt is stored in either case,
    /// and the mail is sent later.
    ///
    /// - Parameters:
    ///   - purpose: The purpose of the code; a code to choose a password is sent only to an existing account.
    ///   - origin: The recipient, and the origin of the request.
    ///   - link: For a code that adds an address to an account: the requesting session, whose account alone may use it.
    /// - Returns: The attempt of the code.
    /// - Throws: `tooManyRequests` if the address had too many codes or the client's share of the mail queue is in use,
    ///   `unavailable` if the mail queue is full, or the database's errors.
    func send(
        _ purpose: CodeAttemptRow.Purpose,
        from origin: SignInRateLimits.Origin,
        for link: LinkOwner? = nil
    ) async throws -> CodeAttempt {
        let reading = clock.reading()
        let kind: MailMessage.Kind =
            switch purpose {
            case .login: .loginCode
            case .link: .linkCode
            case .reset: .resetCode
            }
        let email = origin.account
        // Reserved before the limiter is charged: a refusal must neither depend on the account nor use up an attempt.
        let room = try mail.reserve(
            MailRequest(kind: kind, recipient: email, source: origin.source, origin: origin.text, lifetime: lifetime)
        )
        do {
            try limiter.take(limits.codeRequest(origin), now: reading.now)
            let (attempt, message) = try await store(purpose, kind, origin, link, room, reading)
            room.send(message)
            return CodeAttempt(attempt: attempt, expiresIn: lifetime.wholeSeconds)
        } catch {
            room.cancel()
            throw error
        }
    }

    /// Stores a new attempt and its mail in one transaction, so that a crash loses no acknowledged mail.
    private func store(
        _ purpose: CodeAttemptRow.Purpose,
        _ kind: MailMessage.Kind,
        _ origin: SignInRateLimits.Origin,
        _ link: LinkOwner?,
        _ room: MailReservation,
        _ clock: ClockReading
    ) async throws -> (attempt: String, MailMessage) {
        let email = origin.account
        let digits = String(Int.random(in: 0..<1_000_000))
        let code = String(repeating: "0", count: 6 - digits.count) + digits
        let id = Intent.random().text
        let row = CodeAttemptRow(
            id: id,
            email: email,
            purpose: purpose,
            codeHash: hash(code, of: id, for: link?.claims.user),
            expiresAt: clock.now + lifetime
        )
        let message = MailMessage.code(kind, code, attempt: id, to: email, until: row.expiresAt, lifetime: lifetime)
        return try await database.durably { database in
            if let link {
                _ = try AuthorizedSession(.accessToken(link.claims), link.requirement, at: clock, in: database)
            }
            try CodeAttemptTable.insert(
                row,
                from: origin.text,
                deletingExpiredBefore: clock.deletionLimit,
                in: database
            )
            var message = message
            message.isForNobody = try !UserTable.has(email, in: database) && purpose == .reset
            try room.store(message, database)
            return (id, message)
        }
    }

    /// Counts an attempt to use a code of any purpose.
    ///
    /// - Returns: Whether this server issued the attempt; the caller must record a wrong code for an issued one.
    /// - Throws: `tooManyRequests`.
    func countAttempt(_ attempt: String, from requester: Requester, now: Timestamp) async throws -> Bool {
        // PostgreSQL may refuse to read a text of another form.
        let mayBeIssued = Intent(attempt) != nil
        let isIssued = mayBeIssued ? try await database.read { try CodeAttemptTable.has(attempt, in: $0) } : false
        try limiter.take(limits.code(attempt: attempt, isIssued: isIssued, from: requester.source), now: now)
        return isIssued
    }

    /// Records a wrong code.
    func recordFailure(isIssued: Bool, from requester: Requester, now: Timestamp) {
        // Attempts that this server did not issue have been counted by `countAttempt`.
        if isIssued { limiter.recordFailure(limits.failure(from: requester.source), now: now) }
    }

    /// Returns the keyed hash of a code; the code itself is not stored.
    func hash(_ code: String, of attempt: String, for owner: UUID? = nil) -> [UInt8] {
        let name = owner.map { "\0\(SessionID($0))" } ?? ""
        let message = Data("freshet-code1\0\(attempt)\0\(code)\(name)".utf8)
        return Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
    }

    static let refusal = APIError(.invalidGrant, "the code is wrong, used or too old")
}
