// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Crypto
package import Foundation
package import FreshetDatabase
package import FreshetEngine
package import FreshetMail
package import FreshetWire
import Logging

/// Codes on their way by mail, whatever they are for.
package struct EmailCodes: Sendable {
    package let database: any ServerDatabase
    package let mail: MailTransport
    package let key: SymmetricKey
    package let lifetime: Duration
    package let limiter: RateLimiter
    package let limits: SignInRateLimits
    package let clock: ServerClock
    package let policy = CodePolicy()

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

    /// The session that asks for a code which gives its account an address.
    package struct LinkOwner: Sendable {
        package var claims: AccessClaims
        /// What the session must meet when the code is stored.
        var requirement: SessionRequirement
    }

    /// Sends a code.
    ///
    /// The answer and the work are the same whether or not the address has an account: an attempt is stored either way,
    /// and the mail leaves later.
    ///
    /// - Parameters:
    ///   - purpose: What it is for; one to choose a password goes to nobody who has no account.
    ///   - origin: Where it goes, and where the request comes from.
    ///   - link: For a code that gives an account an address: the session that asks, which alone may use it.
    /// - Returns: The attempt that the code belongs to.
    /// - Throws: `tooManyRequests` if the address had too many or the client's share of the mail queue is in use,
    ///   `unavailable` if no mail can be taken, or whatever the database says.
    package func send(
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
        // First of all: a refusal must not depend on the account, nor cost a try.
        let room = try mail.reserve(
            MailRequest(kind: kind, recipient: email, source: origin.source, lifetime: lifetime)
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

    /// Stores a new attempt and its mail in one transaction: what is acknowledged is sent, whatever happens to the server.
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

    /// Counts an attempt at a code, whatever the code is for.
    ///
    /// - Returns: Whether this server issued the attempt; a wrong code for one that it issued is still to be recorded.
    /// - Throws: `tooManyRequests`.
    func countAttempt(_ attempt: String, from requester: Requester, now: Timestamp) async throws -> Bool {
        let isIssued = try await database.read { try CodeAttemptTable.has(attempt, in: $0) }
        try limiter.take(limits.code(attempt: attempt, isIssued: isIssued, from: requester.source), now: now)
        return isIssued
    }

    /// Records a wrong code.
    func recordFailure(isIssued: Bool, from requester: Requester, now: Timestamp) {
        // Made-up attempts were counted before they were looked at.
        if isIssued { limiter.recordFailure(limits.failure(from: requester.source), now: now) }
    }

    /// The keyed hash of a code, which is all that is stored of it.
    package func hash(_ code: String, of attempt: String, for owner: UUID? = nil) -> [UInt8] {
        let name = owner.map { "\0\(SessionID($0))" } ?? ""
        let message = Data("freshet-code1\0\(attempt)\0\(code)\(name)".utf8)
        return Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
    }

    package static let refusal = APIError(.invalidGrant, "the code is wrong, used or too old")
}
