// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

@Suite(.timeLimit(.minutes(5))) struct `A session that outlived its app` {
    let keychain = FakeKeychain()
    let record = Fixtures.record(Fixtures.stored(0))
    let other = Fixtures.record(Fixtures.stored(1))

    private func store(keeping: Bool, _ account: String = "session") -> KeychainStore {
        keychain.store(service: "example", account: account, keepsSessionOverReinstall: keeping)
    }

    /// Starts the app with a marker of the test's own.
    private func launch(with marker: InstallationMarker, keeping: Bool = false) -> any SessionStore {
        KeychainStores(
            calls: keychain.calls(),
            service: "example",
            folder: nil,
            marker: marker,
            keepsSessionOverReinstall: keeping
        ).store(named: "session")
    }

    @Test func `is kept by default`() throws {
        try keychain.store(service: "example").overwrite(with: record)
        keychain.reinstallApp()
        #expect(try keychain.store(service: "example").read() == record)
        keychain.reinstallApp()
        let stores = KeychainStores(calls: keychain.calls(), service: "example", folder: nil, marker: keychain.marker)
        #expect(try stores.store(named: "session").read() == record)
    }

    @Test func `is dropped if that is wanted, once`() throws {
        try store(keeping: false).overwrite(with: record)
        #expect(try store(keeping: false).read() == record, "another launch is no reinstall")
        keychain.reinstallApp()
        #expect(try store(keeping: false).read() == nil)
        #expect(keychain.itemCount == 0)
        #expect(try store(keeping: false).replace(nil, with: other))
        #expect(try store(keeping: false).read() == other)
    }

    @Test func `is not in the way of a sign-in that comes first`() throws {
        try store(keeping: false).overwrite(with: record)
        keychain.reinstallApp()
        #expect(try store(keeping: false).replace(nil, with: other))
        #expect(try store(keeping: false).read() == other)
        keychain.reinstallApp()
        try store(keeping: false).overwrite(with: record)
        #expect(try store(keeping: false).read() == record)
    }

    @Test func `goes with all others of its service, and with no others`() throws {
        try keychain.store(service: "other").overwrite(with: record)
        for account in ["a", "b"] { try store(keeping: false, account).overwrite(with: record) }
        keychain.reinstallApp()
        #expect(try store(keeping: false, "c").read() == nil, "nothing was found, and the installation is marked")
        #expect(try store(keeping: false, "a").read() == nil)
        #expect(try keychain.stores(service: "example", keepsSessionOverReinstall: false).names() == [])
        #expect(try keychain.store(service: "other").read() == record)
    }

    @Test func `is kept by processes that saw the marker before it was removed`() throws {
        let first = store(keeping: false)
        try first.overwrite(with: record)
        let second = store(keeping: false)
        #expect(try second.read() == record)
        keychain.reinstallApp()
        #expect(try first.read() == record)
        #expect(try second.read() == record)
    }

    @Test func `is not listed either`() throws {
        try store(keeping: false).overwrite(with: record)
        keychain.reinstallApp()
        #expect(try keychain.stores(service: "example", keepsSessionOverReinstall: false).names() == [])
    }

    @Test func `is not confused with what a sibling of this installation stored meanwhile`() throws {
        try store(keeping: false).overwrite(with: record)
        keychain.reinstallApp()
        // The sibling's whole first launch happens while this process decides that the installation is new.
        let sibling = store(keeping: false), marker = keychain.marker, isFirst = Locked(true)
        let slow = InstallationMarker {
            let state = marker.state()
            let isFirst = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if isFirst { try? sibling.overwrite(with: other) }
            return state
        } make: { () throws(SessionStoreError) in
            try marker.make()
        }
        let stores = KeychainStores(
            calls: keychain.calls(),
            service: "example",
            folder: nil,
            marker: slow,
            keepsSessionOverReinstall: false
        )
        #expect(try stores.store(named: "session").read() == other)
    }

    @Test func `is dropped at the unlock if the first launch comes before it`() throws {
        try store(keeping: false).overwrite(with: record)
        keychain.reinstallApp()
        keychain.device = .beforeFirstUnlock
        keychain.hidesItemsBeforeFirstUnlock = true
        let store = store(keeping: false)
        #expect(fault { try store.read() }?.kind == .locked)
        keychain.device = .unlocked
        #expect(try store.read() == nil)
        #expect(keychain.itemCount == 0)
    }

    @Test(arguments: [true, false])
    func `a marker that could not be made when nothing was found is made before a session is stored`(
        isFolderMissing: Bool
    ) throws {
        let full = SessionStoreError(.failed, "the disk is full"), isFull = Locked(true), isMarked = Locked(false)
        let marker = InstallationMarker {
            isMarked.withLock { $0 } ? .readable : .missing
        } prepare: { () throws(SessionStoreError) in
            if isFolderMissing, isFull.withLock({ $0 }) { throw full }
        } make: { () throws(SessionStoreError) in
            if isFull.withLock({ $0 }) { throw full }
            isMarked.withLock { $0 = true }
        }
        let store = launch(with: marker)
        #expect(try store.read() == nil)
        #expect(fault { try store.replace(nil, with: record) } == full, "the next launch would drop the session")
        #expect(keychain.itemCount == 0)
        isFull.withLock { $0 = false }
        #expect(try store.replace(nil, with: record))
        #expect(isMarked.withLock { $0 })
        #expect(try store.read() == record)
    }

    @Test func `where no marker can be made, each launch keeps the session`() throws {
        let folder = try Folder(), system = FaultyFileSystem()
        system.refuseCreation()
        func store() -> any SessionStore {
            launch(with: .file("example.installed", in: folder.url, environment: .simulated(system)))
        }
        #expect(try store().replace(nil, with: record))
        #expect(try store().read() == record)
        #expect(try store().read() == record)
        #expect(folder.names.isEmpty)
        system.recover()
        #expect(try store().read() == nil, "the first launch that can make a marker counts as the first one")
        #expect(folder.names == ["example.installed"])
    }

    @Test func `where the marker's folder cannot be made, each launch keeps the session`() throws {
        let folder = try Folder(), system = FaultyFileSystem()
        let place = folder.url.appending(path: "inner")
        func store() -> any SessionStore {
            system.fail(.mkdir, Array(repeating: EROFS, count: 40))
            return launch(with: .file("example.installed", in: place, environment: .simulated(system)))
        }
        #expect(try store().replace(nil, with: record))
        #expect(try store().read() == record)
        #expect(folder.names.isEmpty)
    }

    @Test func `a session that was deleted before its marker was refused is not returned`() throws {
        try keychain.stores(service: "example").store(named: "session").overwrite(with: record)
        let marker = InstallationMarker {
            .missing
        } make: { () throws(SessionStoreError) in
            throw SessionStoreError(.denied, "the folder has become read-only")
        }
        let store = launch(with: marker)
        #expect(try store.read() == nil)
        #expect(keychain.itemCount == 0)
    }

    @Test func `a session is not stored where the next launch would drop it`() throws {
        let full = SessionStoreError(.failed, "the disk is full"), isFull = Locked(true)
        let marker = InstallationMarker {
            .missing
        } make: { () throws(SessionStoreError) in
            if isFull.withLock({ $0 }) { throw full }
        }
        func store(keeping: Bool) -> any SessionStore { launch(with: marker, keeping: keeping) }
        #expect(try store(keeping: false).read() == nil, "a full disk does not hide an item")
        #expect(fault { try store(keeping: false).replace(nil, with: record) } == full)
        #expect(fault { try store(keeping: false).overwrite(with: record) } == full)
        #expect(keychain.itemCount == 0)
        try store(keeping: true).overwrite(with: record)
        isFull.withLock { $0 = false }
        #expect(try store(keeping: true).read() == record)
    }
}

@Suite struct `An installation's marker` {
    @Test func `is a file of its own, made once`() throws {
        let folder = try Folder()
        let place = folder.url.appending(path: "inner")
        let marker = InstallationMarker.file(forService: "com.example/app", in: place)
        #expect(marker.state() == .missing)
        #expect(!FileManager.default.fileExists(atPath: place.path), "looking leaves nothing behind")
        try marker.make()
        try marker.make()
        #expect(marker.state() == .readable)
        #expect(folder.names == ["inner"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == ["com.example%2Fapp.installed"])
    }

    @Test func `a marker that cannot be read for another reason than its permissions may be readable later`() throws {
        let folder = try Folder()
        try Data(count: SecureFolder.largestFile + 1).write(to: folder.url.appending(path: "example.installed"))
        try folder.setMode(0o600, "example.installed")
        #expect(InstallationMarker.file(forService: "example", in: folder.url).state() == .locked)
    }

    @Test func `a marker that can never be opened is not missing`() throws {
        let folder = try Folder()
        try FileManager.default.createSymbolicLink(
            at: folder.url.appending(path: "example.installed"),
            withDestinationURL: folder.url
        )
        #expect(InstallationMarker.file(forService: "example", in: folder.url).state() == .unsupported)
        let file = folder.url.appending(path: "file")
        try Data().write(to: file)
        #expect(InstallationMarker.file(forService: "example", in: file).state() == .unsupported)
        #expect(throws: SessionStoreError.self) {
            try InstallationMarker.file(forService: "example", in: file).make()
        }
    }
}
