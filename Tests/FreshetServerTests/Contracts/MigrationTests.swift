// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import GRDB
import ServerFixtures
import Testing

@testable import FreshetDatabase
@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `A database from before there were contracts` {
    let server = ServerUnderTest()

    /// An account and its session, as an earlier version wrote them.
    private func makeEarlierDatabase() throws {
        try FileManager.default.createDirectory(
            at: server.folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let queue = try server.openDatabase()
        try SQLiteSchema.migrate(queue, upTo: .provedAddresses)
        try queue.write { database in
            try database.execute(
                sql: """
                    INSERT INTO users (id, email, password, created_at, proved_at) VALUES
                        (x'00112233445566778899AABBCCDDEEFF', 'bob@example.com', NULL, 20, 21);
                    INSERT INTO sessions VALUES (
                        x'01010101010101010101010101010101', x'00112233445566778899AABBCCDDEEFF', x'02020202020202020202020202020202', 0, 3, 0, NULL, 0,
                        1, 1, 1, 1, 1, 9000000000000, 9000000000000, NULL, NULL, '{}'
                    );
                    """
            )
        }
        try queue.close()
        chmod(queue.path, 0o600)
    }

    @Test func `a start logs the migration steps that it waits for, and logs no steps when the schema is current`()
        async throws
    {
        var configuration = server.configuration
        configuration.database = nil
        func steps() async throws -> String? {
            let before = server.log.lines.count
            try await server.run(configuration) { _ in }
            let lines = server.log.lines.dropFirst(before)
            return lines.first { $0["message"] == "the tables are brought up to date first" }?["steps"]
        }
        #expect(try await steps() == nil)
        // The keys stay: the earlier database has a session.
        for name in try FileManager.default.contentsOfDirectory(atPath: server.folder.path)
        where name.hasPrefix("freshet.sqlite") {
            try FileManager.default.removeItem(at: server.folder.appending(path: name))
        }
        try makeEarlierDatabase()
        let old = try #require(try await steps())
        #expect(old.hasPrefix("\(SchemaMigration.contracts)") && old.contains("\(SchemaMigration.compactSessions)"))
        #expect(try await steps() == nil)
    }
}
