// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

/// A store whose folder is on another volume than before, as the mount point is after its volume was unmounted.
@Suite struct `A folder on another volume` {
    let folder: Folder
    let system = FaultyFileSystem()
    let store: FileStore
    let record = Fixtures.record(Fixtures.stored(0))
    let other = Fixtures.record(Fixtures.stored(1))

    init() throws {
        folder = try Folder()
        store = FileStore(directory: folder.url, name: "main", environment: .simulated(system))
    }

    private func changeVolume() {
        system.changeAttributes { if $0.st_mode & S_IFMT == S_IFDIR { $0.st_dev += 1 } }
    }

    private func removeFile() throws {
        try FileManager.default.removeItem(at: folder.url.appending(path: "main.session"))
    }

    @Test func `a session that was read before its volume was unmounted is unavailable, not signed out`() throws {
        try FileStore(directory: folder.url, name: "main").overwrite(with: record)
        #expect(try store.read() == record)
        changeVolume()
        try removeFile()
        #expect(fault { try store.read() }?.kind == .missing)
        #expect(fault { try store.overwrite(with: nil) }?.kind == .missing, "the session would return")
    }

    @Test func `an explicit sign-in after a volume change stores its session on the present volume`() throws {
        try store.overwrite(with: record)
        changeVolume()
        try removeFile()
        try store.overwrite(with: other)
        #expect(try store.read() == other)
    }

    @Test func `a sign-out without a session does not bind the store to a volume`() throws {
        try store.overwrite(with: nil)
        changeVolume()
        #expect(try store.read() == nil)
    }

    @Test func `a sign-out after a volume change deletes a session file that cannot be read`() throws {
        try store.overwrite(with: record)
        try folder.setMode(0o644, "main.session")
        changeVolume()
        try store.overwrite(with: nil)
        #expect(folder.names == ["main.lock"])
    }

    @Test func `a sign-out after a volume change deletes the session on the present volume`() throws {
        try store.overwrite(with: record)
        // The system gives a volume another number when it is mounted again.
        changeVolume()
        try store.overwrite(with: nil)
        #expect(folder.names == ["main.lock"])
        #expect(try store.read() == nil)
    }
}
