// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetMetrics
import Testing

@testable import FreshetServer

struct `The pace of checkpoints` {
    var pace = CheckpointPace()

    private mutating func checkpoint(in duration: Duration) -> Int {
        _ = pace.isDue(after: pace.pages)
        pace.checkpointed(in: duration)
        return pace.pages
    }

    @Test mutating func `one is due when enough pages have gathered, and then anew`() {
        var due: [Bool] = []
        for written in [1999, 0, 1] { due.append(pace.isDue(after: written)) }
        pace.checkpointed(in: .milliseconds(10))
        for written in [1999, 1] { due.append(pace.isDue(after: written)) }
        #expect(due == [false, false, true, false, true])
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
        let early = pace.isDue(after: 1000)
        pace.checkpointed(in: .microseconds(100))
        let next = pace.isDue(after: 1999)
        #expect((pace.pages, early, next) == (2000, false, false))
    }
}

@Suite(.timeLimit(.minutes(5)))
struct `Checkpoints` {
    let server = ServerUnderTest()

    private func open() throws -> SQLiteDatabase {
        try FileManager.default.createDirectory(at: server.folder, withIntermediateDirectories: true)
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

    @Test func `a command beside the server never moves the log`() async throws {
        let server = try open()
        let command = try SQLiteDatabase(existingIn: self.server.folder)
        let before = try logPages()
        for number in 0..<100 { try await command.durably { try Self.note(number, in: $0) } }
        try command.leave()
        #expect(try logPages() >= before + 100)
        try server.close()
    }
}
