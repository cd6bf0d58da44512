// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import ServerFixtures
import Testing

@testable import FreshetDatabase
@testable import FreshetIdentity

@Suite(.timeLimit(.minutes(3)))
struct `Commands beside a server` {
    private let place: DatabaseUnderTest

    init() throws { place = try DatabaseEngine.sqlite.make() }

    private var path: String { place.folder.appending(path: "freshet.lock").path }

    private func logPages() throws -> Int {
        let path = place.folder.appending(path: "freshet.sqlite-wal").path
        return (try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0) / 4096
    }

    @Test func `commands work while a server holds the lock of the data folder, and take no lock`() async throws {
        let server = try SQLiteDatabase(in: place.folder)
        let adminService = try AdminService(in: place.folder)
        #expect(try adminService.users().isEmpty)
        try adminService.backup(to: place.folder.appending(path: "copy.sqlite"))
        try adminService.close()
        #expect(try SchemaMigrator(in: place.folder).migrate() == [])
        #expect(throws: DatabaseStartupError.folderInUse(path)) { try SQLiteDatabase(in: place.folder) }
        try server.close()
        let later = try AdminService(in: place.folder)
        try SQLiteDatabase(in: place.folder).close()
        try later.close()
    }

    @Test func `a command beside a running server does not checkpoint the write-ahead log`() async throws {
        let checkpoints = WALCheckpointPolicy(interval: 20, longest: 20)
        let server = try SQLiteDatabase(in: place.folder, checkpoints: checkpoints)
        let command = try SQLiteDatabase(existingIn: place.folder)
        let before = try logPages()
        for number in 0..<100 { try await command.durably { try ServerStateTable.set("test", Int64(number), in: $0) } }
        try command.detach()
        let keys = try KeyAdministration(
            dataDirectory: place.folder,
            access: .seconds(600),
            activationDelay: .zero
        )
        #expect(try !keys.database.hasLiveSession(before: .system(), now: .system()))
        #expect(try logPages() >= before + 100)
        try server.close()
    }
}
