// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import ServerFixtures
import Testing

@testable import FreshetDatabase

@Suite(.timeLimit(.minutes(5)))
struct `The authority to change an account` {
    private let now = Timestamp.system()

    /// An account with an address and a password.
    private func account(_ database: any ServerDatabase, isEmailVerified: Bool = false) async throws -> User {
        let email = try #require(EmailAddress("\(UUID())@example.com"))
        let user = User(id: UUID(), email: email, password: "hash", isEmailVerified: isEmailVerified)
        _ = try await database.durably { [now] in try UserTable.insert(user, at: now, in: $0) }
        return user
    }

    private func code(
        _ database: any ServerDatabase,
        _ user: User,
        _ purpose: CodeAttemptRow.Purpose
    ) async throws -> String {
        let email = try #require(user.email)
        let row = CodeAttemptRow(
            id: "\(UUID())",
            email: email,
            purpose: purpose,
            codeHash: [1],
            expiresAt: now + .seconds(60)
        )
        try await database.durably { [now] in
            try CodeAttemptTable.insert(row, from: nil, deletingExpiredBefore: now, in: $0)
        }
        return row.id
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `a verified password gives no authority after the hash changes or the account is deleted`(
        engine: DatabaseEngine
    ) async throws {
        try await engine.make().opened { database in
            let user = try await account(database)
            func holds() async throws -> Bool {
                try await database.durably { database in
                    guard let authority = try AccountAuthority(user.id, withPassword: "hash", in: database) else {
                        return false
                    }
                    return authority.user == user.id
                }
            }
            #expect(try await holds())
            try await database.durably { database in
                try UserTable.setPassword("another", by: AccountAuthority(user.id, by: .command), in: database)
            }
            #expect(try await !holds())
            try await database.durably { database in
                try UserTable.delete(by: AccountAuthority(user.id, by: .command), in: database)
            }
            #expect(try await !holds())
        }
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `a code gives authority once and for its own purpose only, and not over a disabled account`(
        engine: DatabaseEngine
    ) async throws {
        try await engine.make().opened { [now] database in
            let user = try await account(database)
            @Sendable func use(_ attempt: String, for purpose: CodeAttemptRow.Purpose) async throws -> UUID? {
                try await database.durably { database in
                    let judgement = try CodeAttemptTable.evaluate(
                        attempt,
                        for: purpose,
                        codeHash: [1],
                        CodePolicy(),
                        at: .trusted(now),
                        in: database
                    )
                    guard case .accepted(let code) = consume judgement,
                        let authority = try AccountAuthority(code, in: database)
                    else { return nil }
                    try CodeAttemptTable.use(code, for: .random(), in: database)
                    return authority.user
                }
            }
            let attempt = try await code(database, user, .reset)
            #expect(try await use(attempt, for: .login) == nil)
            #expect(try await use(attempt, for: .link) == nil)
            #expect(try await use(attempt, for: .reset) == user.id)
            #expect(try await use(attempt, for: .reset) == nil)
            let late = try await code(database, user, .reset)
            try await database.durably { database in
                try UserTable.setDisabled(now, by: AccountAuthority(user.id, by: .command), in: database)
            }
            await #expect(throws: APIError.self) { try await use(late, for: .reset) }
        }
    }
}
