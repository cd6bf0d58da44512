// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
package import FreshetDatabase
package import FreshetEngine
package import FreshetWire
import Logging

/// Sign-up and sign-in with a password.
package struct PasswordLogin: Sendable {
    let database: any ServerDatabase
    let hasher: PasswordHasher
    let sessions: SessionRegistry
    let limiter: RateLimiter
    let limits: SignInRateLimits
    let rules: PasswordRules
    /// Whether an account can be created with a password.
    let allowsSignUp: Bool
    let clock: @Sendable () -> Timestamp

    package init(
        database: any ServerDatabase,
        hasher: PasswordHasher,
        sessions: SessionRegistry,
        limiter: RateLimiter,
        limits: SignInRateLimits,
        rules: PasswordRules,
        allowsSignUp: Bool,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.database = database
        self.hasher = hasher
        self.sessions = sessions
        self.limiter = limiter
        self.limits = limits
        self.rules = rules
        self.allowsSignUp = allowsSignUp
        self.clock = clock
    }

    /// Creates an account and signs it in.
    package func signUp(
        _ credentials: PasswordCredentials,
        from requester: Requester,
        sessionPolicy: SessionPolicy = .native
    ) async throws -> SessionTokens {
        guard allowsSignUp else {
            throw APIError(.invalidRequest, "sign up with a mailed code first, and choose a password after that")
        }
        let email = try Self.address(credentials.email)
        try rules.check(credentials.password, of: email)
        let origin = SignInRateLimits.Origin(account: email, source: requester.source)
        let grant = try await limiter.attempt(limits.signUp(origin), now: clock()) {
            try await openAccount(email, credentials, requester, sessionPolicy)
        }
        guard let grant else { throw APIError(.conflict, "this address has an account") }
        return grant
    }

    /// Creates an account; `nil` if the address already has one.
    private func openAccount(
        _ email: EmailAddress,
        _ credentials: PasswordCredentials,
        _ requester: Requester,
        _ sessionPolicy: SessionPolicy
    ) async throws -> SessionTokens? {
        let phc = try await hasher.hash(credentials.password)
        let user = User(id: .random(), email: email, password: phc)
        let start = sessions.start(
            for: user,
            sessionPolicy: sessionPolicy,
            device: credentials.device,
            from: requester,
            by: .password
        )
        let opening = try await database.durably { [sessions] database -> SessionRegistry.OpenedSession? in
            guard try UserTable.insert(user, at: start.row.createdAt, in: database) else { return nil }
            return try sessions.open(start, of: user, in: database)
        }
        return try opening.map { try sessions.grant($0) }
    }

    /// Signs a user in.
    ///
    /// An unknown address and a wrong password get the same response after the same time.
    package func signIn(
        _ credentials: PasswordCredentials,
        from requester: Requester,
        sessionPolicy: SessionPolicy = .native
    ) async throws -> SessionTokens {
        let email = try Self.address(credentials.email)
        try PasswordRules.refuseOverlong(credentials.password)
        let device = try await sessions.knownDevice(credentials.knownDevice, of: email)
        let origin = try await sessions.origin(of: email, requester, device: device)
        let checked = try await limiter.attempt(limits.password(origin), now: clock()) {
            try await check(credentials.password, of: email, requester, sessionPolicy)
        }
        guard let checked else { throw Self.refusal }
        let user = checked.user
        let upgraded = checked.isOutdated ? try await hasher.hash(credentials.password) : nil
        let start = sessions.start(
            for: user,
            sessionPolicy: sessionPolicy,
            device: credentials.device,
            from: requester,
            by: .password
        )
        let opening = try await database.durably { [sessions] database -> SessionRegistry.OpenedSession? in
            // The verification takes time, during which the owner of the address may have removed the password.
            guard let phc = checked.phc, let authority = try AccountAuthority(user.id, withPassword: phc, in: database)
            else { return nil }
            if let upgraded { try UserTable.setPassword(upgraded, by: authority, in: database) }
            return try sessions.open(start, of: user, in: database)
        }
        guard let opening else { throw Self.refusal }
        return try sessions.grant(opening)
    }

    /// An account whose password was correct.
    private struct Checked {
        var user: User
        var phc: String?
        /// Whether the password was hashed with other parameters than those of new hashes.
        var isOutdated: Bool
    }

    /// Verifies a password; `nil` if it is wrong.
    private func check(
        _ password: String,
        of email: EmailAddress,
        _ requester: Requester,
        _ sessionPolicy: SessionPolicy
    ) async throws -> Checked? {
        // The account is read after the rate limiter: otherwise the response time would reveal to a rate-limited client
        // whether the account exists.
        let known = try await database.read { try UserTable.password(of: email, in: $0) }
        let verdict = try await hasher.verify(password, against: known?.phc)
        guard let known, verdict.isRight,
            let user = try await database.read({ try UserTable.find(known.id, in: $0) })
        else {
            sessions.logRefusal(by: .password, of: known?.id, sessionPolicy, requester, ["email": "\(email)"])
            return nil
        }
        return Checked(user: user, phc: known.phc, isOutdated: verdict.isOutdated)
    }

    private static let refusal = APIError(.invalidGrant, "address or password is wrong")

    static func address(_ text: String) throws(APIError) -> EmailAddress {
        guard let email = EmailAddress(text) else { throw APIError(.invalidRequest, "not an e-mail address") }
        return email
    }
}
