// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import SessionFixtures
import Testing

@testable import FreshetKit

/// A file store whose system calls fail, one at a time.
@Suite(.timeLimit(.minutes(5))) struct `File store and failing system calls` {
    let folder: Folder
    let system = FaultyFileSystem()
    let store: FileStore
    let first = Fixtures.record(Fixtures.stored(3))
    let second = Fixtures.record(Fixtures.stored(4))

    init() throws {
        folder = try Folder()
        store = Self.store(folder.url, system)
    }

    private static func store(_ directory: URL, _ system: FaultyFileSystem) -> FileStore {
        FileStore(directory: directory, name: "main", environment: .simulated(system))
    }

    private func fault(_ body: () throws(SessionStoreError) -> Void) -> SessionStoreError.Kind? {
        do throws(SessionStoreError) {
            try body()
            return nil
        } catch { return error.kind }
    }

    @Test(arguments: [
        FaultyFileSystem.Call.open, .openat, .fstat, .lock, .unlinkat, .write, .syncFile, .renameat, .syncFolder,
    ])
    func `a failed system call during a write is reported and leaves a complete record`(call: FaultyFileSystem.Call)
        throws
    {
        try store.overwrite(with: first)
        for isReplacement in [true, false] {
            system.fail(call, EIO)
            let kind = fault { () throws(SessionStoreError) in
                if isReplacement {
                    _ = try store.replace(first, with: second)
                } else {
                    try store.overwrite(with: second)
                }
            }
            #expect(kind == .failed)
            system.recover()
            // Only the durability of the new name is uncertain after the last call.
            #expect(try store.read() == (call == .syncFolder ? second : first))
            #expect(folder.names == ["main.lock", "main.session"])
            try store.overwrite(with: first)
        }
    }

    @Test(arguments: 0..<3) func `a file that cannot be opened is reported`(position: Int) throws {
        try store.overwrite(with: first)
        // The files of the lock and the record, and the temporary one.
        let codes = Array(repeating: 0, count: position) + [EMFILE]
        system.fail(.openat, codes)
        #expect(fault { () throws(SessionStoreError) in _ = try store.replace(first, with: second) } == .failed)
        #expect(try store.read() == first)
        #expect(folder.names == ["main.lock", "main.session"])
    }

    @Test(arguments: 0..<3) func `a locked device is reported regardless of which file cannot be opened`(position: Int)
        throws
    {
        try store.overwrite(with: first)
        for (code, kind, isLocked) in [
            (EPERM, .locked, true), (EACCES, .locked, true), (EBUSY, .locked, false), (EROFS, .denied, false),
        ] as [(Int32, SessionStoreError.Kind, Bool)] {
            system.fail(.openat, Array(repeating: 0, count: position) + [code])
            do throws(SessionStoreError) {
                _ = try store.replace(first, with: second)
                Issue.record("no error")
            } catch {
                #expect(error.kind == kind)
                #expect(error.reason.hasSuffix(" (the device is locked)") == isLocked)
            }
        }
        #expect(try store.read() == first)
    }

    @Test func `a record that this process made durable is not made durable again`() throws {
        try store.overwrite(with: first)
        let reader = Self.store(folder.url, system)
        reader.sync(first)
        for store in [store, reader] {
            system.fail(.syncFolder, EIO)
            store.sync(first)
            // The error is still there for the next call, so there was none.
            #expect(fault { () throws(SessionStoreError) in try store.overwrite(with: first) } == .failed)
        }
    }

    @Test func `a folder listing contains the names of its files, and an invalid descriptor is an error`() throws {
        let system = POSIXFileSystem()
        let handle = system.open(folder.url.path, O_RDONLY | O_DIRECTORY)
        defer { system.close(handle) }
        #expect(system.names(handle) == [])
        try store.overwrite(with: first)
        #expect(system.names(handle)?.sorted() == ["main.lock", "main.session"])
        #expect(system.names(-1) == nil)
    }

    @Test func `a failed read or write of a lock file is reported and leaves its content unchanged`() throws {
        let lock = ProcessLock(
            folder: folder.url.path,
            file: "lock",
            createsFolder: false,
            environment: .simulated(system)
        )
        let held = try #require(try lock.attempt())
        #expect(held.overwrite(with: [1, 2, 3]))
        system.fail(.pwrite, EIO)
        #expect(!held.overwrite(with: [4]))
        system.fail(.pread, EIO)
        #expect(held.read(2) == [])
        #expect(held.read(2) == [1, 2])
        #expect(held.read(4) == [1, 2, 3])
        system.limitWrites(to: 0)
        #expect(!held.overwrite(with: [4]))
        held.release()
        #expect(fault { () throws(SessionStoreError) in _ = try held.attempt() } == .locked)
    }

    @Test func `every store operation closes the files that it opened, even after an error`() throws {
        let store = Self.store(folder.url.appending(path: "a/b/c"), system)
        _ = try store.read()
        try store.overwrite(with: first)
        #expect(try store.replace(first, with: second))
        #expect(try !store.replace(first, with: nil))
        store.sync(first)
        for call in [FaultyFileSystem.Call.open, .openat, .fstat, .lock, .write, .syncFile, .renameat, .syncFolder] {
            system.fail(call, EIO)
            #expect(fault { () throws(SessionStoreError) in try store.overwrite(with: second) } != nil)
            system.recover()
        }
        _ = try store.processLock?.attempt()
        try store.overwrite(with: nil)
        #expect(system.openFiles == 0)
        // Each new folder is the owner's alone.
        for path in ["a", "a/b", "a/b/c"] { #expect(try folder.mode(path) == 0o700) }
    }

    @Test(arguments: [FaultyFileSystem.Call.open, .openat, .fstat, .read])
    func `a failed system call during a read is reported, not taken for an absent session`(call: FaultyFileSystem.Call)
        throws
    {
        try store.overwrite(with: first)
        system.fail(call, EIO)
        #expect(fault { () throws(SessionStoreError) in _ = try store.read() } == .failed)
        // The folder's attributes are read before the file's.
        system.fail(call, 0, EIO)
        let hasSecondCall = call == .fstat || call == .read
        #expect(fault { () throws(SessionStoreError) in _ = try store.read() } == (hasSecondCall ? .failed : nil))
        system.recover()
        #expect(try store.read() == first)
    }

    @Test(arguments: [FaultyFileSystem.Call.unlinkat, .syncFolder, .lock, .openat])
    func `a failed system call during a removal is reported`(call: FaultyFileSystem.Call) throws {
        try store.overwrite(with: first)
        system.fail(call, EIO)
        #expect(fault { () throws(SessionStoreError) in try store.overwrite(with: nil) } == .failed)
        system.recover()
        try store.overwrite(with: nil)
        #expect(try store.read() == nil)
    }

    @Test func `a session whose file cannot be removed is not signed out`() throws {
        try store.overwrite(with: first)
        // The first removal is that of a damaged file.
        system.fail(.unlinkat, 0, EIO)
        #expect(fault { () throws(SessionStoreError) in try store.overwrite(with: nil) } == .failed)
        #expect(try store.read() == first)
    }

    @Test func `interrupted system calls are repeated`() throws {
        for call in [FaultyFileSystem.Call.write, .read, .lock] {
            system.fail(call, EINTR, EINTR)
            try store.overwrite(with: first)
            #expect(try store.read() == first)
            system.recover()
        }
    }

    @Test(arguments: [1, 7, 100])
    func `a record is stored and read correctly when each system call transfers only a part`(count: Int) throws {
        system.limitReads(to: count)
        system.limitWrites(to: count)
        try store.overwrite(with: first)
        #expect(try store.read() == first)
        system.recover()
        #expect(try store.read() == first)
    }

    @Test func `a system call that writes no bytes is reported as a failed write`() throws {
        try store.overwrite(with: first)
        system.limitWrites(to: 0)
        #expect(fault { () throws(SessionStoreError) in try store.overwrite(with: second) } == .failed)
        system.recover()
        #expect(try store.read() == first)
        #expect(folder.names == ["main.lock", "main.session"])
    }

    @Test func `a write of no bytes is not repeated, even if an earlier call was interrupted`() throws {
        try store.overwrite(with: first)
        system.limitWrites(to: 0)
        system.fail(.write, EINTR, 0, EIO)
        #expect(fault { () throws(SessionStoreError) in try store.overwrite(with: second) } != nil)
        system.limitWrites(to: .max)
        // The error is still there for the next call, so the write was not repeated.
        #expect(fault { () throws(SessionStoreError) in try store.overwrite(with: second) } == .failed)
        try store.overwrite(with: second)
        #expect(try store.read() == second)
    }

    @Test func `a file or folder of another user is refused`() throws {
        try store.overwrite(with: first)
        for kind in [S_IFREG, S_IFDIR] {
            system.changeAttributes { if $0.st_mode & S_IFMT == kind { $0.st_uid = geteuid() + 1 } }
            #expect(fault { () throws(SessionStoreError) in _ = try store.read() } == .denied)
            system.recover()
        }
        #expect(try store.read() == first)
    }

    @Test(arguments: [(0o720, true), (0o702, true), (0o755, false), (0o711, false)])
    func `a folder is refused if others may write to it`(mode: Int, isRefused: Bool) throws {
        try store.overwrite(with: first)
        try folder.setMode(mode)
        let kind = isRefused ? SessionStoreError.Kind.denied : nil
        #expect(fault { () throws(SessionStoreError) in _ = try store.read() } == kind)
        #expect(fault { () throws(SessionStoreError) in try store.overwrite(with: second) } == kind)
    }

    @Test(arguments: [0o640, 0o620, 0o610, 0o604, 0o602, 0o601])
    func `a file that others may read, write or execute is refused`(mode: Int) throws {
        try store.overwrite(with: first)
        try folder.setMode(mode, "main.session")
        #expect(fault { () throws(SessionStoreError) in _ = try store.read() } == .denied)
    }

    @Test func `a file of one mebibyte is read, and a longer one is damaged`() throws {
        try store.overwrite(with: first)
        let record = try first.encoded()
        let file = folder.url.appending(path: "main.session")
        for (excess, kind) in [(0, nil), (1, .damaged)] as [(Int, SessionStoreError.Kind?)] {
            try (record + Data(repeating: 0x20, count: 1_048_576 - record.count + excess)).write(to: file)
            try folder.setMode(0o600, "main.session")
            #expect(fault { () throws(SessionStoreError) in _ = try store.read() } == kind)
            // The file may grow after its size was read.
            system.changeAttributes { if $0.st_mode & S_IFMT == S_IFREG { $0.st_size = 1 } }
            #expect(fault { () throws(SessionStoreError) in _ = try store.read() } == kind)
            system.recover()
        }
    }

    @Test func `the file name of an earlier version is kept until the new file name is durable`() throws {
        func makeOldName() throws -> FileStore {
            let named = FileStore(directory: folder.url, name: "Main", environment: .simulated(system))
            try named.overwrite(with: first)
            try FileManager.default.moveItem(
                at: folder.url.appending(path: "%4Dain.session"),
                to: folder.url.appending(path: "Main.session")
            )
            return FileStore(directory: folder.url, name: "Main", environment: .simulated(system))
        }
        for call in [FaultyFileSystem.Call.names, .linkat, .syncFolder, .unlinkat] {
            let store = try makeOldName()
            system.fail(call, EIO)
            #expect(fault { () throws(SessionStoreError) in _ = try store.read() } == .failed)
            #expect(folder.names.contains("Main.session"))
            system.recover()
            #expect(try store.read() == first)
            #expect(!folder.names.contains("Main.session"))
        }
        // Another process has renamed the file.
        let store = try makeOldName()
        system.fail(.linkat, ENOENT)
        #expect(try store.read() == nil)
    }

    @Test func `a session that a sign-out deletes during the file name migration is not restored`() throws {
        let launch = { FileStore(directory: folder.url, name: "Main", environment: .simulated(system)) }
        try first.encoded().write(to: folder.url.appending(path: "Main.session"))
        try folder.setMode(0o600, "Main.session")
        system.fail(.linkat, EEXIST)
        #expect(try launch().read() == nil)
        #expect(!folder.names.contains { $0.hasSuffix(".session") })
    }

    /// Stores `first`, and afterwards `second` by an earlier version of the app, under its name for the file.
    ///
    /// - Returns: Starts the present version.
    private func makeTwoFiles() throws -> () -> FileStore {
        let launch = { FileStore(directory: folder.url, name: "Main", environment: .simulated(system)) }
        try launch().overwrite(with: first)
        try second.encoded().write(to: folder.url.appending(path: "Main.session"))
        try folder.setMode(0o600, "Main.session")
        let past = [FileAttributeKey.modificationDate: Date(timeIntervalSinceNow: -60)]
        try FileManager.default.setAttributes(past, ofItemAtPath: folder.url.appending(path: "%4Dain.session").path)
        return launch
    }

    @Test func `the newer of two files of one session is kept if it cannot be renamed`() throws {
        let launch = try makeTwoFiles()
        system.fail(.renameat, EIO)
        #expect(fault { () throws(SessionStoreError) in _ = try launch().read() } == .failed)
        #expect(folder.names.contains("Main.session"))
        // Another process has renamed the newer one.
        system.fail(.renameat, ENOENT)
        #expect(try launch().read() == first)
    }

    @Test func `the newer of two files of one session is kept`() throws {
        let launch = try makeTwoFiles()
        #expect(try launch().read() == second)
        #expect(!folder.names.contains("Main.session"))
    }

    @Test func `a lock error is reported immediately`() throws {
        try store.overwrite(with: first)
        system.fail(.lock, ENOLCK)
        #expect(fault { () throws(SessionStoreError) in try store.overwrite(with: second) } == .failed)
        try store.overwrite(with: second)
        #expect(try store.read() == second)
    }

    @Test func `a new folder that cannot be made is reported`() throws {
        let store = Self.store(folder.url.appending(path: "a/b"), system)
        for (code, kind) in [(EIO, .failed), (EACCES, .denied), (ENOENT, .missing)] as [(Int32, SessionStoreError.Kind)]
        {
            // The first call makes the parent.
            system.fail(.mkdir, 0, code)
            #expect(fault { () throws(SessionStoreError) in try store.overwrite(with: first) } == kind, "\(code)")
            system.recover()
        }
        try store.overwrite(with: first)
        #expect(try store.read() == first)
    }

    @Test(arguments: [1, 3, 7]) func `each owner of a lock is recorded with the next number`(largestPart: Int) throws {
        let lock = ProcessLock(
            folder: folder.url.path,
            file: "lock",
            createsFolder: false,
            environment: .simulated(system)
        )
        #expect(lock.lastOwner() == nil)
        system.limitReads(to: largestPart)
        system.limitWrites(to: largestPart)
        for number in 1...300 as ClosedRange<UInt64> {
            system.fail(.pread, EINTR)
            system.fail(.pwrite, EINTR)
            let held = try #require(try lock.attempt())
            held.recordOwner()
            held.release()
            #expect(lock.lastOwner() == number)
        }
    }
}
