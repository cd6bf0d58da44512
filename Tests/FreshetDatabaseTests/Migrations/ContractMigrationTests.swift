// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import GRDB
import ServerFixtures
import Testing

@testable import FreshetDatabase

@Suite(.timeLimit(.minutes(5)))
struct `A database from before there were contracts` {
    private let place: DatabaseUnderTest

    init() throws { place = try DatabaseEngine.sqlite.make() }

    /// Two accounts and a session, as an earlier version wrote them.
    private func makeEarlierDatabase() throws {
        let file = place.folder.appending(path: "freshet.sqlite").path
        let queue = try DatabaseQueue(path: file)
        try SQLiteSchema.migrate(queue, upTo: .provedAddresses)
        try queue.write { database in
            try database.execute(
                sql: """
                    INSERT INTO users (id, email, password, created_at, proved_at) VALUES
                        (x'00112233445566778899AABBCCDDEEFF', 'bob@example.com', NULL, 20, 21),
                        (x'FF112233445566778899AABBCCDDEEFF', 'ann@example.com', 'phc', 10, NULL);
                    INSERT INTO sessions VALUES (
                        x'01010101010101010101010101010101', x'00112233445566778899AABBCCDDEEFF', x'02020202020202020202020202020202', 0, 3, 0, NULL, 0,
                        1, 1, 1, 1, 1, 9000000000000, 9000000000000, NULL, NULL, '{}'
                    );
                    """
            )
        }
        try queue.close()
        chmod(file, 0o600)
    }

    @Test func `a migration keeps accounts and sessions, and numbers the accounts by age`() async throws {
        try makeEarlierDatabase()
        let database = try SQLiteDatabase(in: place.folder)
        let facts = try await database.read { database in
            let users = try ["ann@example.com", "bob@example.com"].compactMap { text in
                try EmailAddress(text).flatMap { try UserTable.find($0, in: database) }
            }
            let numbers = try users.map { try AccountSummary.find($0.id, in: database)?.number }
            let sessions = try SessionTable.live(of: users[1].id, at: Timestamp(milliseconds: 2), in: database)
            return (users, numbers, sessions)
        }
        #expect(facts.0.map(\.password) == ["phc", nil])
        #expect(facts.0.map(\.isEmailVerified) == [false, true])
        #expect(facts.1 == [1, 2])
        #expect(facts.2.map(\.rotation.current) == [3])
        #expect(facts.2.map(\.contract) == [nil])
        try database.close()
    }

    @Test func `a deleted account number is not assigned again`() async throws {
        try makeEarlierDatabase()
        let database = try SQLiteDatabase(in: place.folder)
        let user = User(id: UUID(), email: EmailAddress("eve@example.com"))
        let number = try await database.durably { database in
            try database.execute("DELETE FROM user_numbers WHERE number = 2")
            _ = try UserTable.insert(user, at: Timestamp(milliseconds: 30), in: database)
            return try AccountSummary.find(user.id, in: database)?.number
        }
        #expect(number == 3)
        try database.close()
    }
}
