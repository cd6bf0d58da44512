// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

/// A store's folder that is not there any more, as on a volume that was unmounted.
@Suite(.timeLimit(.minutes(5))) struct `A missing folder` {
    let bench = SessionFixture()
    let volume: Folder
    let away: URL

    init() throws {
        volume = try Folder()
        away = volume.url.appending(path: "away")
    }

    private var place: URL { volume.url.appending(path: "mounted/store") }
    private var mount: URL { volume.url.appending(path: "mounted") }

    private func unmount() throws { try FileManager.default.moveItem(at: mount, to: away) }

    private func remount() throws { try FileManager.default.moveItem(at: away, to: mount) }

    private var isThere: Bool { FileManager.default.fileExists(atPath: mount.path) }

    private func isMissing(_ error: SessionError?) -> Bool {
        if case .storeUnavailable(let fault)? = error { fault.kind == .missing } else { false }
    }

    @Test func `a session whose store's folder vanished stays signed in, and continues when it is back`() async throws {
        let session = try bench.session(store: FileStore(directory: place, name: "main"))
        try await session.signIn(.test)
        try unmount()
        await session.reload()
        #expect(session.state == .active)
        #expect(try await session.accessToken().value == "access-1")
        bench.clock.advance(by: .seconds(601))
        let error = await failure { try await session.accessToken() }
        #expect(isMissing(error))
        #expect(session.state.isSignedIn)
        #expect(!isThere, "no lock file made the folder")
        #expect(bench.backend.counts.refreshes == 0)
        try remount()
        #expect(try await session.accessToken().value == "access-2")
    }

    @Test func `a sign-out whose store's folder vanished is done when the folder is back`() async throws {
        let store = FileStore(directory: place, name: "main")
        let session = try bench.session(store: store)
        try await session.signIn(.test)
        try unmount()
        try? await session.signOut()
        #expect(session.state == .signedOut(.requested))
        #expect(!isThere)
        try remount()
        _ = await failure { try await session.accessToken() }
        #expect(session.state == .signedOut(.requested))
        #expect(try store.read()?.session == nil)
    }

    @Test func `each call of a store whose folder vanished fails and creates no folder`() throws {
        let store = FileStore(directory: place, name: "main"), record = Fixtures.record(Fixtures.stored(0))
        #expect(try store.read() == nil, "a folder that never was holds nothing")
        #expect(try store.replace(nil, with: nil))
        #expect(try !store.replace(record, with: nil))
        #expect(!isThere)
        #expect(try store.replace(nil, with: record))
        try unmount()
        for call in [
            { _ = try store.read() }, { _ = try store.replace(record, with: nil) },
            { _ = try store.replace(nil, with: record) }, { _ = try store.replace(nil, with: nil) },
            { try store.overwrite(with: nil) }, { try store.overwrite(with: record) },
            { _ = try store.processLock?.attempt() },
        ] as [() throws -> Void] {
            #expect { try call() } throws: { ($0 as? SessionStoreError)?.kind == .missing }
        }
        #expect(!isThere)
        try remount()
        #expect(try store.read() == record)
    }

    @Test func `a sign-out while only the store's folder is missing fails and creates no folder`() throws {
        let record = Fixtures.record(Fixtures.stored(0))
        let store = FileStore(directory: mount, name: "main")
        try store.overwrite(with: nil)
        #expect(!isThere, "a store that never had a folder needs none")
        try store.overwrite(with: record)
        try unmount()
        #expect { try store.overwrite(with: nil) } throws: { ($0 as? SessionStoreError)?.kind == .missing }
        #expect(!isThere)
        try remount()
        #expect(try store.read() == record)
    }

    @Test func `the account list of a folder that vanished is an error, not an empty list`() throws {
        let stores = FileStores(directory: place)
        #expect(try stores.names().isEmpty)
        try stores.store(named: "a").overwrite(with: Fixtures.record(Fixtures.stored(0)))
        try unmount()
        #expect { try stores.names() } throws: { ($0 as? SessionStoreError)?.kind == .missing }
        #expect { try stores.store(named: "a").read() } throws: { ($0 as? SessionStoreError)?.kind == .missing }
        #expect { try stores.store(named: "b").read() } throws: { ($0 as? SessionStoreError)?.kind == .missing }
    }

    @Test func `an explicit sign-in creates the store's removed folder again`() async throws {
        let store = FileStore(directory: place, name: "main")
        let session = try bench.session(store: store)
        try await session.signIn(.test)
        try FileManager.default.removeItem(at: place)
        await session.reload()
        #expect(session.state == .active)
        try await session.signIn(.test)
        #expect(try store.read()?.session != nil)
        #expect(try volume.mode("mounted/store") == 0o700)
    }

    @Test func `a process lock creates a missing folder only if its caller allows that`() throws {
        let lock = ProcessLock(directory: place, file: "a.refresh", createsFolder: false)
        #expect { try lock.attempt() } throws: { ($0 as? SessionStoreError)?.kind == .missing }
        #expect(lock.lastOwner() == nil)
        #expect(!isThere)
        let other = try ProcessLock(directory: place, file: "a.refresh").attempt()
        #expect(other?.isHeld == true)
        #expect(try lock.attempt() == nil)
    }

    @Test(.enabled(if: SecondVolume.path != nil, "there is no second volume that can be written"))
    func `an empty folder on another volume is reported as a missing store, not as a signed-out one`() throws {
        let other = try Folder(in: URL(filePath: try #require(SecondVolume.path), directoryHint: .isDirectory))
        let link = volume.url.appending(path: "mounted")
        try FileManager.default.createDirectory(at: link, withIntermediateDirectories: true)
        // A link in the path stands for the mount: where it points decides which volume the folder is on.
        let inner = volume.url.appending(path: "link")
        try FileManager.default.createSymbolicLink(at: inner, withDestinationURL: link)
        let store = FileStore(directory: inner.appending(path: "store"), name: "main")
        let record = Fixtures.record(Fixtures.stored(0))
        try store.overwrite(with: record)
        let stores = FileStores(directory: inner.appending(path: "store"))
        #expect(try stores.names() == ["main"])
        try FileManager.default.removeItem(at: inner)
        try FileManager.default.createDirectory(
            at: other.url.appending(path: "store"),
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        try FileManager.default.createSymbolicLink(at: inner, withDestinationURL: other.url)
        for call in [
            { _ = try store.read() }, { _ = try store.replace(record, with: nil) }, { try store.overwrite(with: nil) },
            { _ = try stores.names() },
        ] as [() throws -> Void] {
            #expect { try call() } throws: { ($0 as? SessionStoreError)?.kind == .missing }
        }
        try FileManager.default.removeItem(at: inner)
        try FileManager.default.createSymbolicLink(at: inner, withDestinationURL: link)
        #expect(try store.read() == record)
    }
}

/// A folder for temporary files on another volume than the usual one.
private enum SecondVolume {
    static let path: String? = {
        var (usual, other) = (stat(), stat())
        let folder = "/dev/shm"
        guard stat(URL.temporaryDirectory.path, &usual) == 0, stat(folder, &other) == 0, usual.st_dev != other.st_dev,
            access(folder, W_OK) == 0
        else { return nil }
        return folder
    }()
}
