// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import Logging

/// Another password for an account: by its owner who is signed in, or by a code to its address.
struct PasswordChange: Sendable {
    let logins: PasswordLogin
    let stepUp: StepUp
    /// `nil` if the server sends no mail.
    let codes: MailedCodes?
    let notices: Notices

    /// Sends a code that chooses a new password.
    ///
    /// The answer is the same whether or not the address has an account; only one that has gets mail.
    func begin(_ request: CodeRequest, from requester: Requester) async throws -> CodeAttempt {
        guard let codes else { throw Self.noMail }
        let email = try PasswordLogin.address(request.email)
        let device = try await logins.sessions.knownDevice(request.knownDevice, of: email)
        return try await codes.send(.reset, to: email, from: requester, device: device)
    }

    /// Changes the password of whoever is signed in.
    ///
    /// Who has one must show it; who has none must have signed in just now.
    func change(_ update: PasswordUpdate, by claims: AccessClaims, from requester: Requester) async throws {
        let user = try await stepUp.user(claims)
        guard let email = user.email else {
            throw APIError(.conflict, "the account has no address to sign in with; add one first")
        }
        if user.password != nil, update.currentPassword == nil {
            throw APIError(.stepUpRequired, "show the current password")
        }
        try await stepUp.require(claims, user, password: update.currentPassword, from: requester)
        try logins.rules.check(update.newPassword, of: email)
        let phc = try await logins.hasher.hash(update.newPassword)
        let ending = SessionRow.Ending(at: logins.clock(), reason: Self.reason)
        let ended = try await logins.database.durably { database -> [SessionID]? in
            guard try UserTable.find(user.id, in: database)?.password == user.password else { return nil }
            try UserTable.setPassword(phc, of: user.id, in: database)
            guard update.endOtherSessions ?? false else { return [] }
            return try SessionTable.end(of: user.id, except: claims.session, ending: ending, in: database)
        }
        guard let ended else { throw APIError(.conflict, "the password was changed meanwhile") }
        tell(user.id, email, ended, requester)
    }

    /// Chooses a password by a code that was mailed, and ends every session unless told not to.
    func reset(_ update: PasswordUpdate, attempt: String, code: String, from requester: Requester) async throws {
        guard let codes else { throw Self.noMail }
        let clock = codes.clock.reading()
        let now = clock.now
        try codes.limiter.take(
            codes.budgets.codeTry(attempt: String(attempt.prefix(64)), source: requester.source),
            now: now
        )
        let codeHash = codes.hash(code, of: attempt)
        let judge = { @Sendable [policy = codes.policy] (database: any SQLConnection) throws -> CodeAttemptRow? in
            guard let row = try CodeAttemptTable.find(attempt, in: database), row.purpose == .reset else { return nil }
            switch policy.verify(row, codeHash: codeHash, intent: nil, at: clock) {
            case .accepted: return row
            case .refused(let row?): try CodeAttemptTable.update(row, in: database)
            case .refused(nil), .repeated: break
            case .undecided: throw APIError.clockNotTrusted
            }
            return nil
        }
        // A password that will not do must not cost the code.
        guard let row = try await codes.database.durably(judge) else { throw MailedCodes.refusal }
        try logins.rules.check(update.newPassword, of: row.email)
        let phc = try await logins.hasher.hash(update.newPassword)
        let ending = SessionRow.Ending(at: now, reason: Self.reason)
        let done = try await codes.database.durably { database -> (UUID, [SessionID])? in
            guard var row = try judge(database), let user = try UserTable.find(row.email, in: database) else {
                return nil
            }
            row.use = CodeAttemptRow.Use(session: .random(), intent: nil)
            try CodeAttemptTable.update(row, in: database)
            // Whoever chose the first password of an address that nobody had proved goes whatever was asked for.
            let endsAll = (update.endOtherSessions ?? true) || !user.isProved
            if !user.isProved { try UserTable.prove(user.id, at: now, in: database) }
            try UserTable.setPassword(phc, of: user.id, in: database)
            return (user.id, endsAll ? try SessionTable.end(of: user.id, ending: ending, in: database) : [])
        }
        guard let (user, ended) = done else { throw MailedCodes.refusal }
        tell(user, row.email, ended, requester)
    }

    /// The user ended them by that.
    private static let reason = EndReason.revokedByUser
    private static let noMail = APIError(.notImplemented, "this server sends no mail")

    private func tell(_ user: UUID, _ email: EmailAddress, _ ended: [SessionID], _ requester: Requester) {
        let sessions = logins.sessions
        sessions.noteEnd(of: ended, user, Self.reason, at: logins.clock())
        sessions.log.notice(
            "password changed",
            metadata: ["user": "\(SessionID(user))", "source": "\(requester.source.map(\.description) ?? "?")"]
        )
        notices.tell(email) { .passwordChanged(place: requester.place, to: $0, at: $1) }
    }
}
