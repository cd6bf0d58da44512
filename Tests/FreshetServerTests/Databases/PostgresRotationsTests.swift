// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import PostgresCluster
import Testing

@testable import FreshetServer

@Suite(.timeLimit(.minutes(3)), .enabled(if: PostgresCluster.isWanted))
struct `Changes that travel to PostgreSQL together` {
    private let now = Timestamp(milliseconds: 1_800_000_000_000)

    private func session() -> SessionRow {
        SessionRow.start(user: UUID(), mode: .intent, device: Device(), lifetimes: Lifetimes(), keyID: 1, now: now)
    }

    @Test func `are told of once each, though the row of one cannot be had`() async throws {
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
