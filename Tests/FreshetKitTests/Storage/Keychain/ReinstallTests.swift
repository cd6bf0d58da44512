// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

@Suite(.timeLimit(.minutes(5))) struct `Sessions after a reinstall` {
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

    @Test func `a keychain session is kept by default after a reinstall`() throws {
        try keychain.store(service: "example").overwrite(with: record)
        keychain.reinstallApp()
        #expect(try keychain.store(service: "example").read() == record)
        keychain.reinstallApp()
        let stores = KeychainStores(calls: keychain.calls(), service: "example", folder: nil, marker: keychain.marker)
        #expect(try stores.store(named: "session").read() == record)
    }

    @Test func `a session is deleted once after a reinstall if the store is configured for that`() throws {
        try store(keeping: false).overwrite(with: record)
        #expect(try store(keeping: false).read() == record, "another launch is no reinstall")
        keychain.reinstallApp()
        #expect(try store(keeping: false).read() == nil)
        #expect(keychain.itemCount == 0)
        #expect(try store(keeping: false).replace(nil, with: other))
        #expect(try store(keeping: false).read() == other)
    }

    @Test func `a sign-in directly after a reinstall replaces the old session`() throws {
        try store(keeping: false).overwrite(with: record)
        keychain.reinstallApp()
        #expect(try store(keeping: false).replace(nil, with: other))
        #expect(try store(keeping: false).read() == other)
        keychain.reinstallApp()
        try store(keeping: false).overwrite(with: record)
        #expect(try store(keeping: false).read() == record)
    }

    @Test func `a reinstall deletes all sessions of a service, and no sessions of other services`() throws {
        try keychain.store(service: "other").overwrite(with: record)
        for account in ["a", "b"] { try store(keeping: false, account).overwrite(with: record) }
        keychain.reinstallApp()
        #expect(try store(keeping: false, "c").read() == nil, "nothing was found, and the installation is marked")
        #expect(try store(keeping: false, "a").read() == nil)
        #expect(try keychain.stores(service: "example", keepsSessionOverReinstall: false).names() == [])
        #expect(try keychain.store(service: "other").read() == record)
    }

    @Test func `a process that has read the marker before its removal keeps the session`() throws {
        let first = store(keeping: false)
        try first.overwrite(with: record)
        let second = store(keeping: false)
        #expect(try second.read() == record)
        keychain.reinstallApp()
        #expect(try first.read() == record)
        #expect(try second.read() == record)
    }

    @Test func `a session from before the reinstall is not listed`() throws {
        try store(keeping: false).overwrite(with: record)
        keychain.reinstallApp()
        #expect(try keychain.stores(service: "example", keepsSessionOverReinstall: false).names() == [])
    }

    @Test func `a session that another process stores during the first launch is not deleted`() throws {
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

    @Test func `a session is deleted after the unlock if the first launch precedes the unlock`() throws {
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
    func `a marker that could not be created during a read is created before a session is stored`(
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

    @Test func `each launch keeps the session if no marker can be created`() throws {
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

    @Test func `each launch keeps the session if the marker's folder cannot be created`() throws {
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
    @Test func `an installation marker is one file named after its service, even if it is created twice`() throws {
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
