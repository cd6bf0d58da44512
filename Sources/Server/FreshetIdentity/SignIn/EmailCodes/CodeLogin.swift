// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
package import FreshetDatabase
package import FreshetEngine
package import FreshetWire
import Logging

/// Sign-in with a code sent by mail.
///
/// The first code used for an address creates its account.
package struct CodeLogin: Sendable {
    package let codes: EmailCodes
    package let sessions: SessionRegistry

    package init(codes: EmailCodes, sessions: SessionRegistry) {
        self.codes = codes
        self.sessions = sessions
    }

    /// Sends a code.
    ///
    /// The response is the same whether or not the address has an account.
    ///
    /// - Parameters:
    ///   - request: The address of the recipient.
    ///   - requester: The client of the request.
    ///   - browser: A browser in which the account signed in before, if the request comes from one.
    /// - Returns: The attempt of the code.
    /// - Throws: `tooManyRequests`, or the database's errors.
    package func begin(
        _ request: CodeRequest,
        from requester: Requester,
        browser: KnownDevice? = nil
    ) async throws -> CodeAttempt {
        let email = try PasswordLogin.address(request.email)
        let device = try await sessions.knownDevice(request.knownDevice, of: email)
        return try await codes.send(
            .login,
            from: try await sessions.origin(of: email, requester, device: device ?? browser)
        )
    }

    /// Opens a session for a correct code, once; a retry of the same client returns the same session.
    ///
    /// - Parameters:
    ///   - verification: The code, and the client's intent.
    ///   - attempts: The candidate attempts of the code, if they differ from the one in `verification`; rate limits
    ///     have then already counted the request.
    ///   - requester: The client of the request.
    ///   - sessionPolicy: The policy of the session.
    /// - Returns: The session's first tokens.
    /// - Throws: `invalidGrant` for a code that is not valid, or `tooManyRequests`.
    package func verify(
        _ verification: CodeVerification,
        of attempts: [String]? = nil,
        from requester: Requester,
        sessionPolicy: SessionPolicy = .native
    ) async throws -> SessionTokens {
        let opening = try await open(verification, of: attempts, from: requester, sessionPolicy: sessionPolicy) {
            [sessions] user in
            sessions.start(
                for: user,
                sessionPolicy: sessionPolicy,
                device: verification.device,
                from: requester,
                by: .code
            )
        }
        return try sessions.grant(opening)
    }

    /// Stores a session for a correct code, without issuing tokens.
    ///
    /// - Parameters:
    ///   - verification: The code, and the client's intent.
    ///   - attempts: The candidate attempts of the code, if they differ from the one in `verification`; rate limits
    ///     have then already counted the request.
    ///   - requester: The client of the request.
    ///   - sessionPolicy: The policy that the log entry of a refusal names.
    ///   - isPage: Whether the request comes from a page, whose sessions get no tokens, or from an app; a retry returns
    ///     only a session of the same kind.
    ///   - start: Prepares the session.
    ///   - beside: Stores data of the session in the same transaction; also called for a retry.
    /// - Returns: The session, not yet published.
    /// - Throws: `invalidGrant` for a code that is not valid.
    package func open(
        _ verification: CodeVerification,
        of attempts: [String]? = nil,
        from requester: Requester,
        sessionPolicy: SessionPolicy,
        isPage: Bool = false,
        start: @escaping @Sendable (User) -> SessionRegistry.NewSession,
        beside: @escaping @Sendable (SessionRow, any SQLConnection) throws -> Void = { _, _ in }
    ) async throws -> SessionRegistry.OpenedSession {
        let clock = codes.clock.reading()
        let now = clock.now
        let attempt = verification.attempt.prefix(bytes: 64)
        var isIssued = false
        if attempts == nil {
            isIssued = try await codes.countAttempt(verification.attempt, from: requester, now: now)
            guard isIssued else {
                sessions.logRefusal(by: .code, sessionPolicy, requester, ["attempt": "\(attempt)"])
                throw EmailCodes.refusal
            }
        }
        let intent = try Intent.read(verification.intent).map(IntentHash.init(_:))
        let candidates = (attempts ?? [verification.attempt]).map { ($0, codes.hash(verification.code, of: $0)) }
        let opened = try await codes.database.durably { [policy = codes.policy, sessions] database -> Opened? in
            let evaluation = try CodeAttemptTable.evaluate(
                candidates,
                for: .login,
                intent: intent,
                policy,
                at: clock,
                in: database
            )
            switch consume evaluation {
            case .refused: return nil
            case .repeated(let id):
                guard try PageSessionTable.has(id, in: database) == isPage,
                    let opening = try sessions.reopen(id, at: clock, in: database)
                else { return nil }
                try beside(opening.start.row, database)
                return Opened(opening: opening)
            case .accepted(let code):
                let (user, outdated) = try Self.account(code, now, database)
                let start = start(user)
                let opening = try sessions.open(start, of: user, in: database)
                try beside(start.row, database)
                try CodeAttemptTable.use(code, for: start.row.id, intent: intent, in: database)
                return Opened(opening: opening, outdated: outdated)
            }
        }
        guard let opened else {
            codes.recordFailure(isIssued: isIssued, from: requester, now: now)
            sessions.logRefusal(by: .code, sessionPolicy, requester, ["attempt": "\(attempt)"])
            throw EmailCodes.refusal
        }
        sessions.publishEnd(of: opened.outdated, opened.opening.user.id, Self.outdatedReason, at: now)
        return opened.opening
    }

    private struct Opened: Sendable {
        var opening: SessionRegistry.OpenedSession
        /// Sessions that ended because of the sign-in.
        var outdated: [SessionID] = []
    }

    /// The reason of these ends: the owner of the address ends the sessions by signing in.
    private static let outdatedReason = EndReason.revokedByUser

    /// Returns the account of an address that a code has verified, and the sessions ended by it.
    ///
    /// A sign-up with a password does not verify the address. At the first verification, the account's password and
    /// sessions are removed, because they may belong to a user who does not own the address. All later ones belong to
    /// the owner.
    private static func account(
        _ code: borrowing VerifiedCode,
        _ now: Timestamp,
        _ database: any SQLConnection
    ) throws -> (User, outdated: [SessionID]) {
        guard let authority = try AccountAuthority(code, in: database),
            var user = try UserTable.find(authority.user, in: database)
        else {
            let user = User(id: .random(), email: code.row.email, isEmailVerified: true)
            _ = try UserTable.insert(user, at: now, in: database)
            return (user, [])
        }
        if user.isEmailVerified { return (user, []) }
        try UserTable.markEmailVerified(at: now, by: authority, in: database)
        user.password = nil
        user.isEmailVerified = true
        let ending = SessionRow.Ending(at: now, reason: outdatedReason)
        return (user, try SessionTable.end(ending, by: authority, in: database))
    }
}
