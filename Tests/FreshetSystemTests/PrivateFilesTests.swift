// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetSystem
import Testing

@Suite struct `Private files` {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "freshet-files-\(UUID())")

    private func mode(of file: URL) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    @Test func `a replaced private file has mode 0600, and no temporary file remains`() throws {
        try PrivateFiles.prepare(folder)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "settings.json")
        try Data("old, and longer".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        // The file that a killed process with this id left.
        try Data().write(to: folder.appending(path: ".settings.json.\(getpid())"))
        try PrivateFiles.replace(file, with: Array("new".utf8))
        #expect(try String(contentsOf: file, encoding: .utf8) == "new")
        #expect(try mode(of: file) == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["settings.json"])
    }

    @Test func `a private folder is created with mode 0700, and refused once others can open it`() throws {
        try PrivateFiles.prepare(folder)
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try mode(of: folder) == 0o700)
        try PrivateFiles.prepare(folder)
        try FileManager.default.setAttributes([.posixPermissions: 0o750], ofItemAtPath: folder.path)
        #expect(throws: PrivateFiles.UnsafeFolder(path: folder.path)) { try PrivateFiles.prepare(folder) }
    }

    @Test func `the parents of a private folder are synced, even if the folder already exists`()
        throws
    {
        let inner = folder.appending(path: "data/keys")
        defer { try? FileManager.default.removeItem(at: folder) }
        for _ in 1...2 {
            var synced: [String] = []
            try PrivateFiles.prepare(inner) { synced.append($0.path) }
            let above = folder.deletingLastPathComponent().path
            #expect(synced.prefix(3) == [folder.path + "/data", folder.path, above])
        }
        struct NotSupported: Error {}
        try PrivateFiles.prepare(inner) { _ in throw NotSupported() }
    }

    @Test func `the advice for a folder of another user names the user, and changes no owner`() throws {
        try PrivateFiles.prepare(folder)
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.setAttributes([.posixPermissions: 0o750], ofItemAtPath: folder.path)
        let open = PrivateFiles.UnsafeFolder(path: folder.path).description
        #expect(open == "\(folder.path): not a folder of this user alone; chmod 0700 it")
        try #require(geteuid() == 0, "only the superuser can give a folder away")
        #expect(chown(folder.path, 65_534, 65_534) == 0)
        let foreign = PrivateFiles.UnsafeFolder(path: folder.path).description
        #expect(foreign.hasSuffix("it belongs to the user nobody: run this as that user, as with sudo -u nobody"))
    }

    @Test(arguments: [(0o600, true), (0o640, false), (0o604, false)])
    func `a file that others can read is not private`(mode: Int, isPrivate: Bool) throws {
        try PrivateFiles.prepare(folder)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "key")
        try PrivateFiles.write([1], toNewFile: file)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        #expect(try PrivateFiles.isPrivateFile(file) == isPrivate)
    }

    @Test(arguments: [0, 1, 5000]) func `a private file is read as a whole`(count: Int) throws {
        try PrivateFiles.prepare(folder)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "key")
        #expect(try PrivateFiles.read(file.path) == nil)
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        try PrivateFiles.write(bytes, toNewFile: file)
        #expect(try PrivateFiles.read(file.path) == bytes)
        #expect(try PrivateFiles.names(in: folder.path) == ["key"])
    }

    @Test func `a file that others can read, a link and a pipe are not read`() throws {
        try PrivateFiles.prepare(folder)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (file, link, pipe) = (
            folder.appending(path: "key"), folder.appending(path: "link"), folder.appending(path: "pipe")
        )
        try PrivateFiles.write([1], toNewFile: file)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        try #require(mkfifo(pipe.path, 0o600) == 0)
        for other in [link, pipe] {
            #expect(throws: PrivateFiles.UnsafeKeyFile(path: other.path)) { try PrivateFiles.read(other.path) }
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
        #expect(throws: PrivateFiles.UnsafeKeyFile(path: file.path)) { try PrivateFiles.read(file.path) }
    }
}
