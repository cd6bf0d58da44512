// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import Logging

/// Signing in with a code sent by mail.
///
/// The first code of an address makes its account.
struct CodeLogin: Sendable {
    let codes: MailedCodes
    let sessions: SessionRegistry

    /// Sends a code.
    ///
    /// The answer is the same whether or not the address has an account.
    func begin(_ request: CodeRequest, from requester: Requester) async throws -> CodeAttempt {
        let email = try PasswordLogin.address(request.email)
        return try await codes.send(
            .login,
            to: email,
            from: requester,
            device: try await sessions.knownDevice(request.knownDevice, of: email)
        )
    }

    /// Opens a session for the right code, once; a repeat by the same client after a lost answer gets the same one.
    func verify(
        _ verification: CodeVerification,
        from requester: Requester,
        terms: SessionTerms = .native
    ) async throws -> Grant {
        let opening = try await open(verification, from: requester, terms: terms) { [sessions] user in
            sessions.start(for: user, terms: terms, device: verification.device, from: requester, by: .code)
        }
        return try sessions.grant(opening)
    }

    /// Stores a session for the right code, and grants no token.
    ///
    /// - Parameters:
    ///   - verification: The code, and the client's intent.
    ///   - requester: Who asks.
    ///   - terms: What is logged of a refusal.
    ///   - isPage: Whether a page asks, whose sessions get no token, or an app, whose sessions no page gets.
    ///   - start: Prepares the session.
    ///   - beside: Stores what belongs to the session, in the same transaction; for a repeat as well.
    /// - Returns: The session, of which nobody was told yet.
    /// - Throws: `invalidGrant` for a code that opens nothing.
    func open(
        _ verification: CodeVerification,
        from requester: Requester,
        terms: SessionTerms,
        isPage: Bool = false,
        start: @escaping @Sendable (User) -> SessionRegistry.Start,
        beside: @escaping @Sendable (SessionRow, any SQLConnection) throws -> Void = { _, _ in }
    ) async throws -> SessionRegistry.Opening {
        let clock = codes.clock.reading()
        let now = clock.now
        let attempt = String(verification.attempt.prefix(64))
        try codes.limiter.take(codes.budgets.codeTry(attempt: attempt, source: requester.source), now: now)
        let intent = try Intent.read(verification.intent).map(IntentHash.init(_:))
        let codeHash = codes.hash(verification.code, of: verification.attempt)
        let opened = try await codes.database.durably { [policy = codes.policy, sessions] database -> Opened? in
            guard let row = try CodeAttemptTable.find(verification.attempt, in: database), row.purpose == .login else {
                return nil
            }
            switch policy.verify(row, codeHash: codeHash, intent: intent, at: clock) {
            case .refused(let row):
                if let row { try CodeAttemptTable.update(row, in: database) }
                return nil
            case .undecided: throw APIError.clockNotTrusted
            case .repeated(let id):
                guard try PageSessionTable.has(id, in: database) == isPage,
                    let opening = try sessions.reopen(id, at: clock, in: database)
                else { return nil }
                try beside(opening.start.row, database)
                return Opened(opening: opening)
            case .accepted:
                let (user, outdated) = try Self.account(row.email, now, database)
                let start = start(user)
                let opening = try sessions.open(start, of: user, in: database)
                try beside(start.row, database)
                var row = row
                row.use = CodeAttemptRow.Use(session: start.row.id, intent: intent)
                try CodeAttemptTable.update(row, in: database)
                return Opened(opening: opening, outdated: outdated)
            }
        }
        guard let opened else {
            sessions.logRefusal(by: .code, terms, requester, ["attempt": "\(attempt)"])
            throw MailedCodes.refusal
        }
        sessions.noteEnd(of: opened.outdated, opened.opening.user.id, Self.outdatedReason, at: now)
        return opened.opening
    }

    private struct Opened: Sendable {
        var opening: SessionRegistry.Opening
        /// Sessions that ended with it.
        var outdated: [SessionID] = []
    }

    /// The owner of the address ends them by signing in.
    private static let outdatedReason = EndReason.revokedByUser

    /// The account of an address that a code has just proved, and the sessions that ended by that.
    ///
    /// Anybody can sign up with anybody's address. Whoever did so before its owner came loses the password and every
    /// session: only the first proof counts, because all that came later is the owner's.
    private static func account(
        _ email: EmailAddress,
        _ now: Timestamp,
        _ database: any SQLConnection
    ) throws -> (User, outdated: [SessionID]) {
        guard var user = try UserTable.find(email, in: database) else {
            let user = User(id: UUID(), email: email, isProved: true)
            _ = try UserTable.insert(user, at: now, in: database)
            return (user, [])
        }
        if user.isProved { return (user, []) }
        try UserTable.prove(user.id, at: now, in: database)
        user.password = nil
        user.isProved = true
        let ending = SessionRow.Ending(at: now, reason: outdatedReason)
        return (user, try SessionTable.end(of: user.id, ending: ending, in: database))
    }
}
