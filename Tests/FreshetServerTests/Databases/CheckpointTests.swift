// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetMetrics
import GRDB
import Testing

@testable import FreshetServer

struct `The pace of checkpoints` {
    var pace = CheckpointPace()

    /// The whole log, which began anew behind the one before.
    private mutating func checkpoint(in duration: Duration) -> Int {
        let pages = pace.pages
        _ = pace.isDue(after: pages)
        pace.checkpointed(in: duration, .init(log: pages, moved: pages))
        return pace.pages
    }

    private mutating func due(after written: [Int]) -> [Bool] { written.map { pace.isDue(after: $0) } }

    @Test mutating func `one is due when enough pages have gathered, and then anew`() {
        let first = due(after: [1999, 0, 1])
        pace.checkpointed(in: .milliseconds(10), .init(log: 2000, moved: 2000))
        let second = due(after: [1999, 1])
        #expect((first, second) == ([false, false, true], [false, true]))
    }

    @Test mutating func `quick ones become rarer, up to 64 MB of log`() {
        let pages = (0..<5).map { _ in checkpoint(in: .milliseconds(3)) }
        #expect(pages == [4000, 8000, 16_000, 16_000, 16_000])
    }

    @Test mutating func `slow ones become more frequent, down to what they began with`() {
        for _ in 0..<5 { _ = checkpoint(in: .milliseconds(3)) }
        let middling = checkpoint(in: .milliseconds(15))
        #expect(middling == 16_000)
        let pages = (0..<4).map { _ in checkpoint(in: .milliseconds(30)) }
        #expect(pages == [8000, 4000, 2000, 2000])
    }

    @Test mutating func `one that nothing was due for does not change it, and counts as one`() {
        let early = due(after: [1000])
        pace.checkpointed(in: .microseconds(100), .init(log: 1000, moved: 1000))
        let next = due(after: [1999])
        #expect((pace.pages, early, next) == (2000, [false], [false]))
    }

    @Test mutating func `one that a reader stopped halfway is tried again soon, and says nothing of the others`() {
        _ = due(after: [2000])
        pace.checkpointed(in: .milliseconds(1), .init(log: 2000, moved: 700))
        let held = due(after: [249, 1])
        // The reader is gone, and the log had no time yet to begin anew.
        pace.checkpointed(in: .milliseconds(1), .init(log: 2250, moved: 2250))
        let stillHeld = due(after: [249, 1])
        pace.checkpointed(in: .milliseconds(1), .init(log: 250, moved: 250))
        let free = due(after: [1999, 1])
        #expect((held, stillHeld, free) == ([false, true], [false, true], [false, true]))
        #expect(pace.pages == 2000)
    }

    @Test mutating func `a log that goes on behind one is moved again soon`() {
        _ = due(after: [2000])
        pace.checkpointed(in: .milliseconds(10), .init(log: 2000, moved: 2000))
        _ = due(after: [2000])
        pace.checkpointed(in: .milliseconds(10), .init(log: 4000, moved: 4000))
        let held = due(after: [249, 1])
        #expect(held == [false, true])
    }

    @Test mutating func `one that failed is tried again soon`() {
        _ = due(after: [2000])
        pace.checkpointed(in: .milliseconds(1), nil)
        let held = due(after: [249, 1])
        #expect(held == [false, true])
        #expect(pace.pages == 2000)
    }
}

@Suite(.timeLimit(.minutes(5)))
struct `Checkpoints` {
    let server = ServerUnderTest()

    private func open() throws -> SQLiteDatabase {
        let mine: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        try FileManager.default.createDirectory(at: server.folder, withIntermediateDirectories: true, attributes: mine)
        return try SQLiteDatabase(in: server.folder, checkpoints: CheckpointPace(within: 20...20))
    }

    private func logPages() throws -> Int {
        let path = server.folder.appending(path: "freshet.sqlite-wal").path
        return (try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0) / 4096
    }

    /// At least one page of log.
    private static func note(_ number: Int, in database: any SQLConnection) throws {
        try HousekeepingTable.set("test", Int64(number), in: database)
    }

    @Test func `what rotations write is moved when it is enough, and the log begins anew`() async throws {
        let database = try open()
        let before = try logPages()
        for number in 0..<200 { try await database.durably { try Self.note(number, in: $0) } }
        #expect(try logPages() < before + 60)
        try database.close()
    }

    @Test func `what is written beside them is, too`() async throws {
        let database = try open()
        let before = try logPages()
        for number in 0..<200 { try await database.writeAside { try Self.note(number, in: $0) } }
        #expect(try logPages() < before + 60)
        try database.close()
    }

    @Test func `a reader holds the log up, and no longer than it reads`() async throws {
        let database = try open()
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let path = server.folder.appending(path: "freshet.sqlite").path
        let reader = try DatabaseQueue(path: path, configuration: configuration)
        try reader.inDatabase { try $0.execute(sql: "BEGIN; SELECT count(*) FROM housekeeping") }
        let before = try logPages()
        for number in 0..<200 { try await database.durably { try Self.note(number, in: $0) } }
        let held = try logPages()
        #expect(held >= before + 200)
        try reader.inDatabase { try $0.execute(sql: "COMMIT") }
        for number in 0..<200 { try await database.durably { try Self.note(number, in: $0) } }
        #expect(try logPages() < held + 30)
        try reader.close()
        try database.close()
    }

    @Test func `letting go of it waits for what was put in line before`() async throws {
        // Many times, as the writer may be the faster one.
        for number in 0..<20 {
            let database = try open()
            database.soon({ try Self.note(number, in: $0) }, otherwise: {})
            try database.leave()
            let again = try open()
            #expect(try again.readNow { try HousekeepingTable.get("test", in: $0) } == Int64(number))
            try again.close()
        }
    }

    @Test func `whoever waits for a commit does not wait for the checkpoint behind it`() async throws {
        let metrics = ServerMetrics()
        try FileManager.default.createDirectory(at: server.folder, withIntermediateDirectories: true)
        let database = try SQLiteDatabase(
            in: server.folder,
            metrics: metrics,
            checkpoints: CheckpointPace(within: 1...1)
        )
        @Sendable func checkpoints() -> Int {
            metrics.samples.buckets(of: "freshet_checkpoint_seconds").reduce(0) { $0 + Int($1) }
        }
        let before = checkpoints()
        let (answers, answered) = AsyncStream.makeStream(of: Int.self)
        database.writes.enqueue({ connection in Written(value: try Self.note(1, in: connection)) }) {
            (_: Result<Void, any Error>) in answered.yield(checkpoints())
        }
        #expect(await answers.first { _ in true } == before)
        // Behind it in the writer's line.
        try await database.writeAside { _ in }
        #expect(checkpoints() > before)
        try database.close()
    }

    @Test func `settling moves what is new, and does nothing where nothing is`() async throws {
        let metrics = ServerMetrics()
        try FileManager.default.createDirectory(at: server.folder, withIntermediateDirectories: true)
        let database = try SQLiteDatabase(in: server.folder, metrics: metrics)
        var moves: [UInt64] = []
        for number in [1, nil, nil, 2] {
            if let number { try await database.writeAside { try Self.note(number, in: $0) } }
            let before = metrics.samples.buckets(of: "freshet_checkpoint_seconds").reduce(0, +)
            try await database.settle()
            moves.append(UInt64(metrics.samples.buckets(of: "freshet_checkpoint_seconds").reduce(0, +) - before))
        }
        #expect(moves == [1, 0, 0, 1])
        try database.close()
    }

    @Test func `what was left in the log is moved at the start`() async throws {
        let left = try open()
        try await left.durably { try Self.note(1, in: $0) }
        try left.leave()
        #expect(try logPages() > 0)
        let database = try open()
        #expect(try logPages() == 0)
        #expect(try database.readNow { try HousekeepingTable.get("test", in: $0) } == 1)
        try database.close()
    }

    @Test func `a command that brings the tables up to date does not move it either`() throws {
        let mine: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        try FileManager.default.createDirectory(at: server.folder, withIntermediateDirectories: true, attributes: mine)
        let file = server.folder.appending(path: "freshet.sqlite").path
        // Open all the while, as a server has it.
        let pool = try DatabasePool(path: file)
        try SQLiteSchema.migrator.migrate(pool, upTo: "10 runs in their session's row")
        let many = """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) INSERT INTO sessions \
            SELECT randomblob(16), x'01', zeroblob(200), 0, 0, 0, NULL, 0, 1, 1, 1, 1, 1, 1, 1, NULL, NULL, '{}', \
            NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM n
            """
        try pool.write { try $0.execute(sql: many) }
        try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        for path in [file, file + "-wal", file + "-shm"] { chmod(path, 0o600) }
        let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int
        #expect(try SchemaDesk(in: server.folder).migrate() == ["11 sessions in the order they came"])
        // More than what SQLite moves by itself.
        #expect(try logPages() > 1000)
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int == size)
        try pool.close()
    }

    @Test func `a command beside the server never moves the log`() async throws {
        let server = try open()
        let command = try SQLiteDatabase(existingIn: self.server.folder)
        let before = try logPages()
        for number in 0..<100 { try await command.durably { try Self.note(number, in: $0) } }
        try command.leave()
        let keys = try KeyAdministration(dataDirectory: self.server.folder, access: .seconds(600), lead: .zero)
        #expect(try !keys.hasSessions(.system(), .system()))
        #expect(try logPages() >= before + 100)
        try server.close()
    }
}
