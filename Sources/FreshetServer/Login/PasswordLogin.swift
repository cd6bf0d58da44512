// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import Logging

/// Accounts with a password: signing up and signing in.
struct PasswordLogin: Sendable {
    let database: SQLiteDatabase
    let hasher: PasswordHasher
    let sessions: SessionRegistry
    let limiter: AttemptLimiter
    let clock: @Sendable () -> Timestamp

    /// Makes an account and signs it in.
    func signUp(_ credentials: PasswordCredentials, terms: SessionTerms = .native) async throws -> Grant {
        let email = try Self.address(credentials.email)
        let count = credentials.password.count
        guard count >= PasswordHasher.minimumLength else {
            throw APIError(.invalidRequest, "a password has at least \(PasswordHasher.minimumLength) characters")
        }
        try Self.refuseOverlong(credentials.password)
        try limiter.take("signup \(email)", now: clock())
        let phc = try await hasher.hash(credentials.password)
        let user = User(id: UUID(), email: email, password: phc)
        let start = sessions.start(for: user, terms: terms, device: credentials.device ?? Device())
        let isNew = try await database.writes.durably { database in
            guard try UserTable.insert(user, at: start.row.createdAt, in: database) else { return false }
            try SessionTable.insert(start.row, in: database)
            return true
        }
        guard isNew else { throw APIError(.conflict, "this address has an account") }
        return try sessions.grant(start, user: user)
    }

    /// Signs in.
    ///
    /// An unknown address and a wrong password are one answer and cost the same time.
    func signIn(_ credentials: PasswordCredentials, terms: SessionTerms = .native) async throws -> Grant {
        let email = try Self.address(credentials.email)
        try Self.refuseOverlong(credentials.password)
        try limiter.take("login \(email)", now: clock())
        let user = try await database.read { try UserTable.find(email, in: $0) }
        let verdict = try await hasher.verify(credentials.password, against: user?.password)
        guard let user, verdict.isRight else {
            let metadata: Logger.Metadata = ["email": "\(email)", "by": "password"]
            sessions.log.notice("login refused", metadata: metadata.naming(terms.dialect))
            sessions.events.tell(.loginRefused(.init(method: .password, user: user?.id)))
            throw Self.refusal
        }
        let upgraded = verdict.isOutdated ? try await hasher.hash(credentials.password) : nil
        let start = sessions.start(for: user, terms: terms, device: credentials.device ?? Device())
        let isStillRight = try await database.writes.durably { database in
            // The check took a while, and the owner of the address may have taken the password away meanwhile.
            guard try UserTable.find(user.id, in: database)?.password == user.password else { return false }
            if let upgraded { try UserTable.setPassword(upgraded, of: user.id, in: database) }
            try SessionTable.insert(start.row, in: database)
            return true
        }
        guard isStillRight else { throw Self.refusal }
        return try sessions.grant(start, user: user)
    }

    private static let refusal = APIError(.invalidGrant, "address or password is wrong")

    static func address(_ text: String) throws(APIError) -> EmailAddress {
        guard let email = EmailAddress(text) else { throw APIError(.invalidRequest, "not an e-mail address") }
        return email
    }

    private static func refuseOverlong(_ password: String) throws(APIError) {
        guard password.utf8.count <= PasswordHasher.maximumLength else {
            throw APIError(.invalidRequest, "a password has at most \(PasswordHasher.maximumLength) bytes")
        }
    }
}
