// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import FreshetWire
import SessionFixtures
import Testing

@testable import FreshetKit

@Suite(.timeLimit(.minutes(5))) struct `File store` {
    let folder: Folder
    let store: FileStore
    let record = Fixtures.record(Fixtures.stored(3))

    init() throws {
        folder = try Folder()
        store = FileStore(directory: folder.url, name: "main")
    }

    private var file: URL { folder.url.appending(path: "main.session") }

    private func fault(_ store: FileStore? = nil) -> SessionStoreError? {
        do throws(SessionStoreError) {
            _ = try (store ?? self.store).read()
            return nil
        } catch { return error }
    }

    @Test func `a session file has mode 0600, and its lock is the only other file in the folder`() throws {
        try store.overwrite(with: record)
        #expect(try folder.mode("main.session") == 0o600)
        #expect(folder.names == ["main.lock", "main.session"])
    }

    @Test func `a file store creates its folder with mode 0700 at the first write, not at a read`() throws {
        let inner = folder.url.appending(path: "a/b")
        let store = FileStore(directory: inner, name: "main")
        #expect(try store.read() == nil)
        #expect(folder.names.isEmpty, "reading makes nothing")
        try store.overwrite(with: record)
        #expect(try folder.mode("a") == 0o700)
        #expect(try folder.mode("a/b") == 0o700)
        #expect(try store.read() == record)
    }

    @Test(arguments: ["", "{", "\u{0}\u{0}\u{0}", #"{"version":1}"#])
    func `a damaged record is reported, and only an explicit overwrite replaces it`(text: String) throws {
        try store.overwrite(with: record)
        try Data(text.utf8).write(to: file)
        try folder.setMode(0o600, "main.session")
        #expect(fault()?.kind == .damaged)
        #expect(throws: SessionStoreError.self) { try store.replace(nil, with: record) }
        #expect(try Data(contentsOf: file) == Data(text.utf8))
        try store.overwrite(with: record)
        #expect(try store.read() == record)
    }

    @Test func `a symbolic link in place of the session file is refused`() throws {
        let target = folder.url.appending(path: "target")
        try record.encoded().write(to: target)
        try folder.setMode(0o600, "target")
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)
        #expect(fault()?.kind == .denied)
    }

    @Test func `a folder behind a symbolic link is refused`() throws {
        let link = folder.url.appending(path: "link")
        let real = try Folder()
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: real.url)
        let store = FileStore(directory: link, name: "main")
        #expect(fault(store)?.kind == .denied)
        #expect(throws: SessionStoreError.self) { try store.overwrite(with: record) }
        #expect(real.names.isEmpty)
    }

    @Test(arguments: [0o770, 0o707, 0o722]) func `a folder that others may write to is refused`(mode: Int) throws {
        try store.overwrite(with: record)
        try folder.setMode(mode)
        #expect(fault()?.kind == .denied)
        try folder.setMode(0o700)
        #expect(try store.read() == record)
    }

    @Test func `a file that others may read is refused`() throws {
        try store.overwrite(with: record)
        try folder.setMode(0o644, "main.session")
        #expect(fault()?.kind == .denied)
    }

    @Test func `a folder or a pipe in place of the session file is refused without blocking`() throws {
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        #expect(fault()?.kind == .denied)
        try FileManager.default.removeItem(at: file)
        #expect(mkfifo(file.path, 0o600) == 0)
        #expect(fault()?.kind == .denied)
    }

    @Test func `a file in place of the store's folder is refused`() throws {
        let inner = folder.url.appending(path: "file")
        try Data().write(to: inner)
        #expect(fault(FileStore(directory: inner, name: "main"))?.kind == .denied)
    }

    @Test func `a write removes a temporary file that a crash left`() throws {
        try Data("half".utf8).write(to: folder.url.appending(path: ".main.new"))
        try store.overwrite(with: record)
        #expect(folder.names == ["main.lock", "main.session"])
    }

    @Test func `a temporary file that a crash left does not prevent a session from being replaced`() throws {
        try store.overwrite(with: record)
        try Data("half".utf8).write(to: folder.url.appending(path: ".main.new"))
        let next = Fixtures.record(Fixtures.stored(4)), restarted = FileStore(directory: folder.url, name: "main")
        #expect(try restarted.replace(record, with: next))
        #expect(try store.read() == next)
        #expect(folder.names == ["main.lock", "main.session"])
    }

    @Test(arguments: ["../escape", "a/b", ".hidden", "", "naïve", "%2F"])
    func `a store name cannot place files outside the folder or make them hidden`(name: String) throws {
        let store = FileStore(directory: folder.url, name: name)
        try store.overwrite(with: record)
        #expect(try store.read() == record)
        #expect(folder.names.count == 2)
        #expect(!folder.names.contains { $0.hasPrefix(".") })
    }

    @Test func `two file stores with one file share its record`() throws {
        let sibling = FileStore(directory: folder.url, name: "main")
        #expect(try store.replace(nil, with: record))
        #expect(try !sibling.replace(nil, with: Fixtures.record(nil)))
        #expect(try sibling.read() == record)
    }

    @Test func `a file store whose lock another process holds refuses writes and permits reads`() throws {
        try store.overwrite(with: record)
        let lock = open(folder.url.appending(path: "main.lock").path, O_RDWR)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
        #expect { try store.replace(record, with: nil) } throws: { ($0 as? SessionStoreError)?.kind == .locked }
        #expect(try store.read() == record, "reading needs no lock")
    }
}
