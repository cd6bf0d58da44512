// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import ServerFixtures
import Testing

@testable import FreshetDatabase

@Suite(.timeLimit(.minutes(3)))
struct `The lock of a data folder` {
    private let place: DatabaseUnderTest

    init() throws { place = try DatabaseEngine.sqlite.make() }

    private var path: String { place.folder.appending(path: "freshet.lock").path }

    @Test func `a second server on a SQLite folder is refused with the lock's path until the first stops`() throws {
        let first = try SQLiteDatabase(in: place.folder)
        #expect(throws: DatabaseStartupError.folderInUse(path)) { try SQLiteDatabase(in: place.folder) }
        #expect("\(DatabaseStartupError.folderInUse(path))".hasPrefix(path))
        try first.close()
        // Closed twice, as a server does that failed: it must not release another's.
        let second = try SQLiteDatabase(in: place.folder)
        try? first.close()
        #expect(throws: DatabaseStartupError.folderInUse(path)) { try SQLiteDatabase(in: place.folder) }
        try second.close()
    }

    @Test func `a server that starts waits for the one before it to stop`() throws {
        let first = try SQLiteDatabase(in: place.folder)
        var remarks: [StartupProgress] = []
        let second = try SQLiteDatabase(in: place.folder, lockTimeout: .seconds(120)) { remark in
            remarks.append(remark)
            try? first.close()
        }
        #expect(remarks == [.waitsForLock(path)])
        try second.close()
    }

    #if os(Linux)
        @Test func `a lock is released although a child process has a copy of its descriptor`() throws {
            let first = try SQLiteDatabase(in: place.folder)
            let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
            let file = files.first { number in
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")) == path
            }
            let copy = dup(try #require(file))
            defer { close(copy) }
            try first.close()
            try SQLiteDatabase(in: place.folder).close()
        }
    #endif

    @Test func `a server that fails to start releases the lock of its folder`() throws {
        #expect(throws: DatabaseStartupError.notDurable) {
            try SQLiteDatabase(in: place.folder, isDurable: { _ in false })
        }
        try SQLiteDatabase(in: place.folder).close()
    }

    @Test(.enabled(if: DatabaseEngine.wanted.contains(.postgres), "FRESHET_WITHOUT_POSTGRES is set"))
    func `servers on PostgreSQL share a folder of keys`() throws {
        let place = try DatabaseEngine.postgres.make()
        let (one, two) = (try place.open(), try place.open())
        try one.close()
        try two.close()
    }
}
