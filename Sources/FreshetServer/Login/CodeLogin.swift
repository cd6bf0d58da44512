// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetEngine
import FreshetWire
import GRDB
import Logging

/// Signing in with a code sent by mail.
///
/// The first code of an address makes its account.
struct CodeLogin: Sendable {
    let database: SQLiteDatabase
    let sessions: SessionRegistry
    let mail: MailTransport
    let key: SymmetricKey
    let lifetime: Duration
    let requests: AttemptLimiter
    let tries: AttemptLimiter
    let clock: @Sendable () -> Timestamp
    let policy = CodePolicy()

    /// Sends a code.
    ///
    /// The answer is the same whether or not the address has an account.
    func begin(_ request: CodeRequest) async throws -> CodeAttempt {
        let email = try PasswordLogin.address(request.email)
        let now = clock()
        try requests.take(email.text, now: now)
        let digits = String(Int.random(in: 0..<1_000_000))
        let code = String(repeating: "0", count: 6 - digits.count) + digits
        let id = Intent.random().text
        let row = CodeAttemptRow(id: id, email: email, codeHash: hash(code, of: id), expiresAt: now + lifetime)
        try await database.writes.durably { try CodeAttemptTable.insert(row, at: now, in: $0) }
        mail.send(.code(.loginCode, code, attempt: id, to: email, until: row.expiresAt, lifetime: lifetime))
        return CodeAttempt(attempt: id, expiresIn: lifetime.wholeSeconds)
    }

    /// Opens a session for the right code, once; a repeat by the same client after a lost answer gets the same one.
    func verify(_ verification: CodeVerification, terms: SessionTerms = .native) async throws -> Grant {
        let now = clock()
        try tries.take("code \(verification.attempt.prefix(64))", now: now)
        let intent = try Intent.read(verification.intent).map(IntentHash.init(_:))
        let codeHash = hash(verification.code, of: verification.attempt)
        let device = verification.device ?? Device()
        let opened = try await database.writes.durably { [policy, sessions] database -> Opened? in
            guard let row = try CodeAttemptTable.find(verification.attempt, in: database) else { return nil }
            switch policy.verify(row, codeHash: codeHash, intent: intent, now: now) {
            case .refused(let row):
                if let row { try CodeAttemptTable.update(row, in: database) }
                return nil
            case .repeated(let id):
                // Once the client has moved on, it has the answer; the code must not bring the session back.
                guard let session = try SessionTable.find(id, in: database), session.endReason(at: now) == nil,
                    session.rotation.current == 0, session.rotation.intent == nil,
                    let user = try UserTable.find(session.user, in: database)
                else { return nil }
                return Opened(user: user, start: sessions.restart(session))
            case .accepted:
                let (user, outdated) = try Self.account(row.email, now, database)
                let start = sessions.start(for: user, terms: terms, device: device)
                try SessionTable.insert(start.row, in: database)
                var row = row
                row.use = CodeAttemptRow.Use(session: start.row.id, intent: intent)
                try CodeAttemptTable.update(row, in: database)
                return Opened(user: user, start: start, outdated: outdated)
            }
        }
        guard let opened else {
            let metadata: Logger.Metadata = ["by": "code", "attempt": "\(verification.attempt)"]
            sessions.log.notice("login refused", metadata: metadata.naming(terms.dialect))
            throw APIError(.invalidGrant, "the code is wrong, used or too old")
        }
        sessions.noteEnd(of: opened.outdated, opened.user.id, Self.outdatedReason, at: now)
        return try sessions.grant(opened.start, user: opened.user)
    }

    private struct Opened: Sendable {
        var user: User
        var start: SessionRegistry.Start
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
        _ database: Database
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

    private func hash(_ code: String, of attempt: String) -> [UInt8] {
        let message = Data("freshet-code1\0\(attempt)\0\(code)".utf8)
        return Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
    }
}
