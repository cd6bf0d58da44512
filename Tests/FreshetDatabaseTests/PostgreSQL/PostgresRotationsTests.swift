// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetEngine
import FreshetWire
import PostgresCluster
import ServerFixtures
import Testing

@testable import FreshetDatabase

@Suite(.timeLimit(.minutes(3)), .enabled(if: PostgresCluster.isWanted, "FRESHET_WITHOUT_POSTGRES is set"))
struct `Batches of changes on PostgreSQL` {
    private let now = Timestamp(milliseconds: 1_800_000_000_000)

    private func session() -> SessionRow {
        SessionRow.start(user: UUID(), mode: .intent, device: Device(), lifetimes: Lifetimes(), keyID: 1, now: now)
    }

    /// The `synchronous_commit` of the transaction that wrote each row, as PostgreSQL reports it.
    @Test func `a commit waits for the disk only if it switches a session to intents or ends it`()
        async throws
    {
        let place = try DatabaseEngine.postgres.make()
        let database = try place.open()
        defer { try? database.close() }
        var plain = session()
        plain.rotation.mode = .plain
        let (row, now) = (plain, now)
        try await database.durably { try SessionTable.insert(row, in: $0) }
        let observer = try PostgresConnection(try #require(place.postgres))
        try observer.run(
            """
            CREATE TABLE seen (place BIGINT GENERATED ALWAYS AS IDENTITY, setting TEXT);
            CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN
                INSERT INTO seen (setting) VALUES (current_setting('synchronous_commit')); RETURN new; END $body$;
            CREATE TRIGGER see AFTER UPDATE ON sessions FOR EACH ROW EXECUTE FUNCTION see();
            """
        )
        let keys = try #require(TokenKeyRing(keys: [1: SymmetricKey(size: .bits256)], currentID: 1))
        let policy = RotationPolicy(idleLifetime: .seconds(3600))
        func refresh(_ generation: UInt64, branch: UInt64, _ intent: Intent?) async throws {
            _ = try await database.change(row.id) { found in
                let body = RefreshTokenPayload(keyID: 1, session: row.id, generation: generation, branch: branch)
                let token = keys.token(body, salt: row.salt)
                let decision = policy.refresh(found, token: token, intent: intent, now: now, keys: keys)
                return SessionChange(value: (), row: decision.row, mustBeDurable: decision.mustBeDurable)
            }
        }
        try await refresh(0, branch: 0, nil)
        try await refresh(1, branch: 1, .random())
        try await refresh(2, branch: 1, .random())
        // The step left no intent of this one's: a second holder.
        try await refresh(2, branch: 1, .random())
        let settings = try observer.rows("SELECT setting FROM seen ORDER BY place") { try $0[0] as String }
        #expect(settings == ["off", "on", "off", "on"])
    }

    @Test func `each change of a batch completes exactly once, even if the row of one is locked`() async throws {
        let place = try DatabaseEngine.postgres.make()
        var configuration = try #require(place.postgres)
        // One thread for rotations, so that what waits is one batch.
        configuration.connections = 4
        configuration.statementTimeout = .milliseconds(500)
        let database = try PostgresDatabase(configuration)
        let (held, free, same) = (session(), session(), session())
        try await database.durably { database in
            for row in [held, free, same] { try SessionTable.insert(row, in: database) }
        }
        let other = try PostgresConnection(try #require(place.postgres))
        try other.run("BEGIN")
        _ = try other.row("SELECT cur FROM sessions WHERE id = ? FOR UPDATE", [held.id]) { try $0[0] as Int64 }

        let (told, tell) = AsyncStream.makeStream(of: String.self)
        func change(_ name: String, _ id: SessionID, writes: Bool) {
            database.change(
                id,
                { row in
                    var new = row
                    new.rotation.next += 1
                    return SessionChange(value: name, row: writes ? new : nil)
                },
                completion: { result in
                    switch result {
                    case .success(let value): tell.yield("\(name): \(value == nil ? "none" : "done")")
                    case .failure: tell.yield("\(name): failed")
                    }
                }
            )
        }
        change("first", held.id, writes: true)
        change("held", held.id, writes: true)
        change("free", free.id, writes: true)
        change("same", same.id, writes: false)
        change("unknown", .random(), writes: true)
        // It does what waits before it ends.
        try database.close()
        try other.run("ROLLBACK")
        tell.finish()
        let all = await told.reduce(into: []) { $0.append($1) }
        #expect(all.sorted() == ["first: failed", "free: done", "held: failed", "same: done", "unknown: none"])
    }
}
