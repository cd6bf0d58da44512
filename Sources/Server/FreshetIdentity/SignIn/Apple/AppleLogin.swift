// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
package import FreshetDatabase
package import FreshetEngine
package import FreshetWire
import Logging

/// Sign in with Apple: one account for each `sub` of Apple's.
///
/// The address from Apple is displayed only: it is not a sign-in method, and never links to an existing account.
package struct AppleLogin: Sendable {
    let keys: AppleKeys
    let audiences: Set<String>
    let nonces: AppleNonces
    let database: any ServerDatabase
    let sessions: SessionRegistry
    let limiter: RateLimiter
    let limits: SignInRateLimits
    let clock: ServerClock

    package init(
        keys: AppleKeys,
        audiences: Set<String>,
        nonces: AppleNonces,
        database: any ServerDatabase,
        sessions: SessionRegistry,
        limiter: RateLimiter,
        limits: SignInRateLimits,
        clock: ServerClock
    ) {
        self.keys = keys
        self.audiences = audiences
        self.nonces = nonces
        self.database = database
        self.sessions = sessions
        self.limiter = limiter
        self.limits = limits
        self.clock = clock
    }

    /// Returns a nonce for one sign-in.
    package func nonce(from requester: Requester) throws -> AppleNonce {
        let now = clock()
        try limiter.take(limits.request(from: requester.source), now: now)
        return nonces.make(now: now)
    }

    /// Signs in a native client, with a nonce of this server; a retry returns the same session.
    package func signIn(_ credentials: AppleCredentials, from requester: Requester) async throws -> SessionTokens {
        let intent = try Intent.read(credentials.intent).map(IntentHash.init(_:))
        let identity = try await verified(
            credentials.identityToken,
            nonce: credentials.nonce,
            sessionPolicy: .native,
            requester
        )
        return try await signIn(identity, intent, credentials.device, credentials.fullName, requester, .native)
    }

    /// Signs in a contract's client, which may choose a nonce itself.
    package func signIn(
        _ text: String,
        nonce: String?,
        device: Device?,
        fullName: String?,
        from requester: Requester,
        sessionPolicy: SessionPolicy
    ) async throws -> SessionTokens {
        let token = try await token(text, nonce, .either, sessionPolicy, requester)
        return try await signIn(VerifiedIdentity(token: token), nil, device, fullName, requester, sessionPolicy)
    }

    /// Verifies an identity token and the nonce that this server issued for it.
    func verified(
        _ text: String,
        nonce: String,
        sessionPolicy: SessionPolicy,
        _ requester: Requester
    ) async throws -> VerifiedIdentity {
        guard let end = try nonces.end(of: nonce, at: clock.reading()) else {
            sessions.logRefusal(
                by: .apple,
                sessionPolicy,
                requester,
                ["fault": "\(IdentityToken.Fault.nonce.rawValue)"]
            )
            throw Self.refusal
        }
        let token = try await token(text, nonce, .digest, sessionPolicy, requester)
        return VerifiedIdentity(token: token, nonce: (nonce, end))
    }

    static let refusal = APIError(.invalidGrant, "Apple's identity token was not accepted")

    // MARK: - Verifying

    private func token(
        _ text: String,
        _ nonce: String?,
        _ form: IdentityToken.NonceForm,
        _ sessionPolicy: SessionPolicy,
        _ requester: Requester
    ) async throws -> IdentityToken {
        let reading = clock.reading()
        let now = reading.now
        try limiter.take(limits.request(from: requester.source), now: now)
        let known = try await keys.known(for: text, log: sessions.log)
        do throws(IdentityToken.Fault) {
            return try IdentityToken(text, keys: known, audiences: audiences, nonce: nonce, form: form, now: now)
        } catch {
            if error.dependsOnClock, !reading.isTrusted { throw APIError.clockNotTrusted }
            sessions.logRefusal(by: .apple, sessionPolicy, requester, ["fault": "\(error.rawValue)"])
            throw Self.refusal
        }
    }

    // MARK: - Opening a session

    /// Opens a session for an unused token; the first token of a user creates the account.
    private func signIn(
        _ identity: VerifiedIdentity,
        _ intent: IntentHash?,
        _ device: Device?,
        _ fullName: String?,
        _ requester: Requester,
        _ sessionPolicy: SessionPolicy
    ) async throws -> SessionTokens {
        // An invalid name is no reason to refuse the sign-in.
        let name = try? fullName?.checkedName()
        let reading = clock.reading()
        let now = reading.now
        let token = identity.token
        let opening = try await database.durably { [sessions] database -> SessionRegistry.OpenedSession? in
            if let use = try UsedProofTable.use(of: token.digest, in: database) {
                guard let intent, use.intent == intent else { return nil }
                return try sessions.reopen(use.session, at: reading, in: database)
            }
            let user = try Self.account(token, now, database)
            let start = sessions.start(
                for: user,
                sessionPolicy: sessionPolicy,
                device: device,
                from: requester,
                by: .apple
            )
            let use = CodeAttemptRow.Use(session: start.row.id, intent: intent)
            guard try identity.markUsed(for: use, deletingExpiredBefore: reading.deletionLimit, in: database) else {
                throw AlreadyUsed()
            }
            if let name { try UserTable.keepName(name, of: user.id, in: database) }
            return try sessions.open(start, of: user, in: database)
        } onReplay: {
            nil
        }
        guard let opening else {
            sessions.logRefusal(by: .apple, sessionPolicy, requester, ["fault": "replayed"])
            throw Self.refusal
        }
        return try sessions.grant(opening)
    }

    private static func account(_ token: IdentityToken, _ now: Timestamp, _ database: any SQLConnection) throws -> User
    {
        let user: User
        if let known = try AppleAccountTable.user(of: token.subject, in: database) {
            user = known
            try AppleAccountTable.confirm(token.subject, at: token.issuedAt, in: database)
        } else {
            user = User(id: .random(), email: nil)
            guard let authority = try AccountAuthority(opening: user, at: now, in: database) else {
                throw AlreadyUsed()
            }
            try AppleAccountTable.insert(token.subject, at: now, by: authority, in: database)
        }
        try AppleAccountTable.keepEmail(token.email, of: token.subject, in: database)
        return user
    }
}

/// The error that rolls back a transaction if a token or nonce turns out to be used.
private struct AlreadyUsed: Error {}

extension ServerDatabase {
    /// Runs a durable transaction like ``durably(_:)``; a replay rolls the transaction back and returns `value`.
    fileprivate func durably<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value,
        onReplay value: () -> Value
    ) async throws -> Value {
        do { return try await durably(body) } catch is AlreadyUsed { return value() }
    }
}
