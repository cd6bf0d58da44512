// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire
import PostgresCluster
import Testing

@testable import freshet

/// Conditions under which the real program refuses to start, and how an operator gets it to start again.
@Suite(.timeLimit(.minutes(5)))
struct `A server process that starts` {
    private let place: DataFolderServer

    init() throws { place = try DataFolderServer() }

    @Test func `a server refuses to start without the keys of its sessions, and starts after they are restored`()
        async throws
    {
        try await Attack.report("a start without the keys folder, which would sign everybody out") {
            let server = try await place.start()
            let token = try await server.firstToken()
            await server.process.terminate()
            let (keys, aside) = (place.data.appending(path: "keys"), place.folder.appending(path: "aside"))
            try FileManager.default.moveItem(at: keys, to: aside)

            let refusal = try await place.refusal()
            try #require(refusal.status == 6)
            for phrase in ["mac-1", "mount the folder of keys", "freshet keys retire mac 1 --force"] {
                try #require(refusal.said.contains(phrase), "\(refusal.said)")
            }
            let keyList = try await place.tool(["keys", "list"]).output
            try #require(keyList.contains(/(?m)^mac +1 +missing/), "\(keyList)")
            // Neither leaves a folder, which would look like that of the keys.
            try #require(!FileManager.default.fileExists(atPath: keys.path))

            try FileManager.default.moveItem(at: aside, to: keys)
            let again = try await place.start()
            let reply = try await again.refresh(token)
            await again.process.terminate()
            try #require(reply.status == 200, "\(reply.text)")
        }
    }

    @Test func `a server starts without keys that an operator has retired by force`() async throws {
        let server = try await place.start()
        let token = try await server.firstToken()
        await server.process.terminate()
        try FileManager.default.removeItem(at: place.data.appending(path: "keys"))
        #expect(try await place.tool(["keys", "retire", "mac", "1"]).status == 64)
        #expect(try await place.tool(["keys", "retire", "mac", "1", "--force"]).status == 0)
        let again = try await place.start()
        let reply = try await again.refresh(token)
        #expect(reply.status == 400 && reply.string("error") == "invalid_grant")
        let other = try await again.firstToken("bob@example.com")
        #expect(try RefreshToken(other).body.keyID == 2)
        await again.process.terminate()
    }

    @Test(.enabled(if: !PostgresCluster.isAsked, "it is about SQLite's file"))
    func `a server refuses an empty database in place of a lost one without --new-database`() async throws {
        let server = try await place.start()
        _ = try await server.firstToken()
        await server.process.terminate()
        for name in try FileManager.default.contentsOfDirectory(atPath: place.data.path)
        where name.hasPrefix("freshet.sqlite") {
            try FileManager.default.removeItem(at: place.data.appending(path: name))
        }
        let refusal = try await place.refusal()
        #expect(refusal.status == 6 && refusal.said.contains("--new-database"))
        let new = try await place.start(["--new-database"])
        _ = try await new.firstToken()
        await new.process.terminate()
        await (try await place.start()).process.terminate()
    }

    @Test(.enabled(if: !PostgresCluster.isAsked, "servers on PostgreSQL may share a folder"))
    func `a server refuses a SQLite folder that another server uses, until the other one is killed`() async throws {
        let first = try await place.start()
        let token = try await first.firstToken()
        let refusal = try await place.refusal(["--database-wait", "0s"])
        #expect(refusal.status == 6)
        let lock = place.data.appending(path: "freshet.lock").path
        #expect(refusal.said.contains("\(lock): another freshet serve works on"), "\(refusal.said)")
        // Beside it, the operator's commands work.
        for command in [["users", "list"], ["keys", "list"], ["migrate", "status"], ["migrate", "up"]] {
            #expect(try await place.tool(command).status == 0, "\(command)")
        }
        let copy = place.folder.appending(path: "copy.sqlite").path
        #expect(try await place.tool(["backup", copy]).status == 0)
        let reply = try await first.refresh(token)
        #expect(reply.status == 200)
        await first.process.kill()
        let second = try await place.start(["--database-wait", "0s"])
        #expect(try await second.refresh(try #require(reply.string("refresh_token"))).status == 200)
        await second.process.terminate()
    }

    @Test(.enabled(if: !PostgresCluster.isAsked, "pg_restore restores a PostgreSQL database"))
    func `a copy is restored once the server has stopped, and the sessions of the copy stay signed in`() async throws {
        let first = try await place.start()
        let early = try await first.firstToken()
        let copy = place.folder.appending(path: "copy.sqlite").path
        #expect(try await place.tool(["backup", copy]).status == 0)
        let refreshed = try #require(try await first.refresh(early).string("refresh_token"))
        let late = try await first.firstToken("bob@example.com")
        // A running server would go on with the deleted file.
        #expect(try await place.tool(["restore", copy]).status == 6)
        // The last sign-in is in the WAL, which must not be applied to the copy.
        await first.process.kill()
        let wal = place.data.appending(path: "freshet.sqlite-wal")
        #expect(try wal.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0 > 0)
        let damaged = place.folder.appending(path: "damaged.sqlite")
        try Data(try Data(contentsOf: URL(filePath: copy)).prefix(20_000)).write(to: damaged)
        #expect(try await place.tool(["restore", damaged.path]).status == 6)
        let empty = place.folder.appending(path: "empty.sqlite")
        try Data().write(to: empty)
        #expect(try await place.tool(["restore", empty.path]).status == 6)
        #expect(try await place.tool(["restore", place.folder.path]).status == 6)
        let raw = place.folder.appending(path: "raw.sqlite")
        try FileManager.default.copyItem(at: URL(filePath: copy), to: raw)
        try Data("commits".utf8).write(to: URL(filePath: raw.path + "-wal"))
        #expect(try await place.tool(["restore", raw.path]).status == 6)
        #expect(try await place.tool(["users", "show", "bob@example.com"]).status == 0)

        let other = try DataFolderServer(isSQLite: true)
        await (try await other.start()).process.terminate()
        let foreign = place.folder.appending(path: "foreign.sqlite").path
        #expect(try await other.tool(["backup", foreign]).status == 0)
        #expect(try await place.tool(["restore", foreign]).status == 6)
        #expect(try await place.tool(["users", "show", "bob@example.com"]).status == 0)

        #expect(try await place.tool(["restore", copy]).status == 0)
        #expect(try await place.tool(["users", "show", "bob@example.com"]).status == 64)
        let files = try FileManager.default.contentsOfDirectory(atPath: place.data.path)
        #expect(files.count { $0.hasPrefix("freshet.sqlite.before-") && !$0.hasSuffix("-wal") } == 1, "\(files)")
        #expect(files.count { $0.hasPrefix("freshet.sqlite.before-") && $0.hasSuffix("-wal") } == 1, "\(files)")
        #expect(!files.contains { $0.contains("restored") }, "\(files)")
        let second = try await place.start()
        #expect(try await second.refresh(refreshed).status == 200)
        #expect(try await second.refresh(late).status == 400)
        await second.process.terminate()
    }
}
