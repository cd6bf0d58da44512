// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetMetrics
import GRDB
import ServerFixtures
import Testing

@testable import FreshetDatabase
@testable import FreshetEngine

struct `The pace of checkpoints` {
    private var pace = WALCheckpointPolicy(interval: 2000, longest: 6000)

    private mutating func commits(_ lengths: [Int]) -> [WALCheckpointPolicy.Step?] {
        lengths.map { pace.committed($0) }
    }

    private mutating func ends(log: Int, moved: Int) { pace.checkpointed(.init(log: log, moved: moved)) }

    /// A log of 6,500 pages of which all but 500 were moved aside.
    private mutating func grow() {
        _ = commits([2000])
        ends(log: 2000, moved: 2000)
        _ = commits([6000, 6500])
        ends(log: 6000, moved: 6000)
    }

    @Test mutating func `a checkpoint is due whenever the WAL has grown by the interval`() {
        let first = commits([1999, 2000, 2100])
        ends(log: 2010, moved: 2010)
        let second = commits([2200, 4009, 4010])
        #expect((first, second) == ([nil, .checkpointInBackground, nil], [nil, nil, .checkpointInBackground]))
    }

    @Test mutating func `the writer checkpoints the rest of a long WAL, which restarts`() {
        grow()
        let rest = commits([6501])
        ends(log: 6501, moved: 6501)
        let anew = commits([3, 1999, 2000])
        #expect((rest, anew) == ([.checkpointOnWriter], [nil, nil, .checkpointInBackground]))
    }

    @Test mutating func `a restarted WAL is recognised even if its first commit is as long as the WAL before`() {
        _ = commits([2000])
        ends(log: 2000, moved: 2000)
        let anew = commits([2000])
        #expect(anew == [.checkpointInBackground])
    }

    @Test mutating func `a WAL that a reader keeps from restarting is checkpointed again a little later`() {
        grow()
        _ = commits([6501])
        ends(log: 6501, moved: 6501)
        let held = commits([6502, 6750, 6751])
        ends(log: 6751, moved: 6751)
        let free = commits([2])
        #expect((held, free) == ([nil, nil, .checkpointOnWriter], [nil]))
    }

    @Test mutating func `pages that a reader kept from a checkpoint are checkpointed in the background a little later`()
    {
        _ = commits([2000, 7000])
        ends(log: 2000, moved: 700)
        let first = commits([7249, 7250])
        ends(log: 7250, moved: 700)
        let second = commits([7499, 7500])
        ends(log: 7500, moved: 7500)
        let rest = commits([7501])
        #expect(
            (first, second, rest) == (
                [nil, .checkpointInBackground], [nil, .checkpointInBackground], [.checkpointOnWriter]
            )
        )
    }

    @Test mutating func `pages that a concurrent commit kept from a checkpoint are due after the next interval`() {
        _ = commits([2000])
        ends(log: 2006, moved: 2000)
        let next = commits([2007, 3999, 4000])
        #expect(next == [nil, nil, .checkpointInBackground])
    }

    @Test mutating func `pages that the writer could not checkpoint are checkpointed in the background a little later`()
    {
        grow()
        _ = commits([6501])
        ends(log: 6501, moved: 6200)
        let next = commits([6750, 6751])
        #expect(next == [nil, .checkpointInBackground])
    }

    @Test mutating func `a failed checkpoint is retried a little later`() {
        _ = commits([2000])
        pace.checkpointed(nil)
        let next = commits([2249, 2250])
        #expect(next == [nil, .checkpointInBackground])
    }

    @Test mutating func `a writer that is faster than the disk waits for it`() {
        let steps = commits([2000, 7999, 8000])
        ends(log: 2000, moved: 2000)
        #expect(steps == [.checkpointInBackground, nil, .waitForBackground])
    }

    @Test mutating func `after a long reader, the writer adds as many pages as are being checkpointed before it waits`()
    {
        _ = commits([2000, 50_000])
        ends(log: 2000, moved: 100)
        let steps = commits([50_250, 56_250, 100_399, 100_400])
        #expect(steps == [.checkpointInBackground, nil, nil, .waitForBackground])
    }

    @Test mutating func `after three background checkpoints of a growing WAL, the writer checkpoints it`() {
        var steps: [WALCheckpointPolicy.Step?] = []
        var log = 20_000
        for _ in 0..<4 {
            steps += commits([log])
            let moving = log
            log += 5000
            _ = commits([log])
            ends(log: moving, moved: moving)
            log += 1
        }
        #expect(
            steps == [.checkpointInBackground, .checkpointInBackground, .checkpointInBackground, .checkpointOnWriter]
        )
        ends(log: log, moved: log)
        #expect(commits([3]) == [nil])
    }

    @Test mutating func `a drain checkpoints new pages while no other checkpoint runs, and nothing else`() {
        let before = pace.beginFinalCheckpoint()
        _ = commits([10])
        let first = [pace.beginFinalCheckpoint(), pace.beginFinalCheckpoint()]
        ends(log: 10, moved: 10)
        let nothing = pace.beginFinalCheckpoint()
        _ = commits([11])
        let second = pace.beginFinalCheckpoint()
        #expect((before, first, nothing, second) == (false, [true, false], false, true))
    }

    @Test mutating func `no drain checkpoints pages that the writer checkpoints`() {
        grow()
        _ = commits([6501])
        let isSettling = pace.beginFinalCheckpoint()
        #expect(!isSettling)
    }

    /// All was moved aside, and the next commit had the log begin anew before that was told.
    @Test mutating func `the end of a checkpoint does not count for a WAL that has restarted since`() {
        _ = commits([2000])
        let anew = commits([5])
        ends(log: 2000, moved: 2000)
        let isNew = pace.beginFinalCheckpoint()
        #expect((anew, isNew) == ([nil], true))
    }
}

@Suite(.timeLimit(.minutes(5)))
struct `Checkpoints` {
    private let place: DatabaseUnderTest

    init() throws { place = try DatabaseEngine.sqlite.make() }

    private func open() throws -> SQLiteDatabase {
        return try SQLiteDatabase(in: place.folder, checkpoints: WALCheckpointPolicy(interval: 20, longest: 20))
    }

    private func logPages() throws -> Int {
        let path = place.folder.appending(path: "freshet.sqlite-wal").path
        return (try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0) / 4096
    }

    /// At least one page of log.
    private static func note(_ number: Int, in database: any SQLConnection) throws {
        try ServerStateTable.set("test", Int64(number), in: database)
    }

    @Test func `rotations are checkpointed after enough pages, and the WAL restarts`() async throws {
        let database = try open()
        let before = try logPages()
        for number in 0..<200 { try await database.durably { try Self.note(number, in: $0) } }
        #expect(try logPages() < before + 60)
        try database.close()
    }

    @Test func `background writes are checkpointed after enough pages, and the WAL restarts`() async throws {
        let database = try open()
        let before = try logPages()
        for number in 0..<200 { try await database.backgroundWrite { try Self.note(number, in: $0) } }
        #expect(try logPages() < before + 60)
        try database.close()
    }

    @Test func `a reader prevents the WAL from restarting only while it reads`() async throws {
        let database = try open()
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let path = place.folder.appending(path: "freshet.sqlite").path
        let reader = try DatabaseQueue(path: path, configuration: configuration)
        try reader.inDatabase { try $0.execute(sql: "BEGIN; SELECT count(*) FROM housekeeping") }
        let before = try logPages()
        for number in 0..<200 { try await database.backgroundWrite { try Self.note(number, in: $0) } }
        let held = try logPages()
        #expect(held >= before + 200)
        try reader.inDatabase { try $0.execute(sql: "COMMIT") }
        // The first one waits for a checkpoint that the reader held up, and the second one has no reader.
        for _ in 0..<2 { await database.checkpoint() }
        for number in 0..<200 { try await database.backgroundWrite { try Self.note(number, in: $0) } }
        #expect(try logPages() < held + 30)
        try reader.close()
        try database.close()
    }

    @Test func `detaching a database waits for the writes queued before`() async throws {
        // Many times, as the writer may be the faster one.
        for number in 0..<20 {
            let database = try open()
            database.enqueueBestEffort({ try Self.note(number, in: $0) }, otherwise: {})
            try database.detach()
            let again = try open()
            #expect(try again.readNow { try ServerStateTable.get("test", in: $0) } == Int64(number))
            try again.close()
        }
    }

    @Test func `a commit does not wait for the checkpoint that it causes`() async throws {
        let metrics = ServerMetrics()
        let database = try SQLiteDatabase(
            in: place.folder,
            metrics: metrics,
            checkpoints: WALCheckpointPolicy(interval: 1, longest: 1)
        )
        @Sendable func checkpoints() -> Int {
            metrics.samples.buckets(of: "freshet_checkpoint_seconds").reduce(0) { $0 + Int($1) }
        }
        let before = checkpoints()
        let (answers, answered) = AsyncStream.makeStream(of: Int.self)
        database.writes.enqueue({ connection in WriteResult(value: try Self.note(1, in: connection)) }) {
            (_: Result<Void, any Error>) in answered.yield(checkpoints())
        }
        #expect(await answers.first { _ in true } == before)
        // Behind it in the line of who moves the log.
        await database.checkpoint()
        #expect(checkpoints() > before)
        try database.close()
    }

    @Test func `a requested checkpoint runs only if the WAL has new pages`() async throws {
        let metrics = ServerMetrics()
        let database = try SQLiteDatabase(in: place.folder, metrics: metrics)
        var moves: [UInt64] = []
        for number in [1, nil, nil, 2] {
            if let number { try await database.backgroundWrite { try Self.note(number, in: $0) } }
            let before = metrics.samples.buckets(of: "freshet_checkpoint_seconds").reduce(0, +)
            await database.checkpoint()
            moves.append(UInt64(metrics.samples.buckets(of: "freshet_checkpoint_seconds").reduce(0, +) - before))
        }
        #expect(moves == [1, 0, 0, 1])
        try database.close()
    }

    @Test func `pages that were left in the WAL are checkpointed when the database is opened`() async throws {
        let left = try open()
        try await left.durably { try Self.note(1, in: $0) }
        try left.detach()
        #expect(try logPages() > 0)
        let database = try open()
        #expect(try logPages() == 0)
        #expect(try database.readNow { try ServerStateTable.get("test", in: $0) } == 1)
        try database.close()
    }

    @Test func `a schema migration command does not checkpoint the WAL`() throws {
        let file = place.folder.appending(path: "freshet.sqlite").path
        // Open all the while, as a server has it.
        let pool = try DatabasePool(path: file)
        try SQLiteSchema.migrate(pool, upTo: .sessionStreaks)
        let many = """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) INSERT INTO sessions \
            SELECT randomblob(16), x'01', zeroblob(200), 0, 0, 0, NULL, 0, 1, 1, 1, 1, 1, 1, 1, NULL, NULL, '{}', \
            NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM n
            """
        try pool.write { try $0.execute(sql: many) }
        try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        for path in [file, file + "-wal", file + "-shm"] { chmod(path, 0o600) }
        let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int
        #expect(try SchemaMigrator(in: place.folder).migrate(upTo: .compactSessions) == [.compactSessions])
        // More than what SQLite moves by itself.
        #expect(try logPages() > 1000)
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int == size)
        try pool.close()
    }
}
