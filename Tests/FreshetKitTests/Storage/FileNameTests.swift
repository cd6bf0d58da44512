// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

@Suite(.timeLimit(.minutes(5))) struct `File names on volumes that ignore case` {
    static let names = [
        "abc", "aBc", "ABC", "a%42c", "a%62c", "A%42c", "", "%", ".b", ".B", "a/b", "A/B", "Žofie", "žofie",
        "user aBc at x",
        "user abc at x", "😀", "main.Session", "main.session",
    ]

    @Test func `escaped file names differ in more than case, and each is unescaped to its original`() {
        for one in Self.names {
            #expect(FileName.unescaped(FileName.escaped(one)) == one)
            for other in Self.names where other != one {
                #expect(FileName.escaped(one).lowercased() != FileName.escaped(other).lowercased(), "\(one) \(other)")
            }
        }
    }

    @Test func `a file name without upper-case letters is the same as in earlier versions`() {
        for name in ["main", "u-7.b_c", "user 7 at https://example.com:443", "žofie", ""] {
            #expect(FileName.escaped(name) == FileName.escapedKeepingCase(name))
        }
        #expect(FileName.unescaped("aBc") == nil)
        #expect(FileName.unescapedKeepingCase("aBc") == "aBc")
    }

    @Test func `an escaped name for comparison by bytes keeps its upper-case letters`() {
        #expect(FileName.escapedKeepingCase("aBc/D") == "aBc%2FD")
        #if os(Linux)
            let store = KernelKeyringStore(application: "MyApp", name: "Main")
            #expect(store.name == "kernel keyring, key MyApp:Main, until the system restarts")
        #endif
    }

    @Test func `files of an earlier version get new names by their exact spelling`() {
        let listed = ["aBc.session", "aBc.lock", "abc.session", "a%42c.session", "X.txt", ".aBc.new", "%2FA.session"]
        #expect(
            FileNameMigration.steps(listed, suffixes: [".session", ".lock"]) == [
                .init(old: "aBc.session", new: "a%42c.session"), .init(old: "aBc.lock", new: "a%42c.lock"),
                .init(old: "%2FA.session", new: "%2F%41.session"),
            ]
        )
        // A migrated name is not migrated again.
        for name in Self.names {
            #expect(FileNameMigration.steps([FileName.escaped(name)], suffixes: [""]).isEmpty, "\(name)")
        }
    }

    // MARK: Stores

    let folder: Folder
    let record = Fixtures.record(Fixtures.stored(3))
    let other = Fixtures.record(Fixtures.stored(4))

    init() throws { folder = try Folder() }

    private func put(_ record: SessionRecord, _ file: String) throws {
        try record.encoded().write(to: folder.url.appending(path: file))
        try folder.setMode(0o600, file)
    }

    @Test func `a session of an earlier version is found only under the exact case of its name`() throws {
        try put(record, "aBc.session")
        #expect(try FileStore(directory: folder.url, name: "abc").read() == nil)
        #expect(try FileStore(directory: folder.url, name: "aBc").read() == record)
        #expect(folder.names.map { $0.lowercased() }.contains("abc.session") == false)
        let stores = FileStores(directory: folder.url)
        #expect(try stores.names() == ["aBc"])
        #expect(try stores.store(named: "abc").replace(nil, with: other))
        #expect(try stores.names() == ["aBc", "abc"])
        #expect(try stores.store(named: "aBc").read() == record)
    }

    @Test func `the newer of two files for one session is kept, under the new file name`() throws {
        for isOldNewer in [true, false] {
            try put(record, isOldNewer ? "a%42c.session" : "aBc.session")
            try put(other, isOldNewer ? "aBc.session" : "a%42c.session")
            let past = [FileAttributeKey.modificationDate: Date(timeIntervalSinceNow: -60)]
            let path = folder.url.appending(path: isOldNewer ? "a%42c.session" : "aBc.session").path
            try FileManager.default.setAttributes(past, ofItemAtPath: path)
            #expect(try FileStore(directory: folder.url, name: "aBc").read() == other)
            #expect(folder.names == ["a%42c.session"])
        }
    }

    @Test func `a file name migration that a crash interrupted is completed`() throws {
        try put(record, "aBc.session")
        #expect(
            link(folder.url.appending(path: "aBc.session").path, folder.url.appending(path: "a%42c.session").path) == 0
        )
        #expect(try FileStores(directory: folder.url).names() == ["aBc"])
        #expect(folder.names == ["a%42c.session"])
    }

    @Test func `neither of two files for one session is removed while one cannot be examined`() throws {
        let system = FaultyFileSystem()
        for name in ["aBc.session", "a%42c.session"] { try put(record, name) }
        let store = FileStore(directory: folder.url, name: "aBc", environment: .simulated(system))
        for codes in [[EIO], [0, EIO]] as [[Int32]] {
            system.fail(.fstatat, codes)
            #expect(fault { try store.read() }?.kind == .failed)
            #expect(folder.names == ["a%42c.session", "aBc.session"])
        }
        #expect(try store.read() == record)
        #expect(folder.names == ["a%42c.session"])
    }

    @Test func `an installation marker of an earlier version is found and renamed`() throws {
        try Data().write(to: folder.url.appending(path: "com.example.MyApp.installed"))
        try folder.setMode(0o600, "com.example.MyApp.installed")
        #expect(InstallationMarker.file(forService: "com.example.myapp", in: folder.url).state() == .missing)
        #expect(InstallationMarker.file(forService: "com.example.MyApp", in: folder.url).state() == .readable)
        #expect(folder.names == ["com.example.%4Dy%41pp.installed"])
    }

    @Test func `accounts whose names differ only in case are separate accounts`() async throws {
        try put(record, "aBc.session")
        let bench = SessionFixture()
        let directory = SessionDirectory(stores: FileStores(directory: folder.url)) { store throws(SessionError) in
            do { return try bench.session(store: store) } catch { throw .cancelled }
        }
        let session = try directory.session(named: "abc")
        #expect(session.state == .signedOut(nil))
        try await session.signIn(.test)
        #expect(try directory.accounts().map(\.name) == ["aBc", "abc"])
        try await directory.remove("abc")
        #expect(try directory.accounts().map(\.name) == ["aBc"])
    }
}
