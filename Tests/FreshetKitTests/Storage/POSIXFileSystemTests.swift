// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import SessionFixtures
import Testing

@testable import FreshetKit

@Suite(.timeLimit(.minutes(5))) struct `POSIX file system` {
    let folder: Folder
    let system = POSIXFileSystem()

    init() throws { folder = try Folder() }

    @Test func `a failed folder listing reports the errno of the failed system call`() throws {
        let path = folder.url.appending(path: "file")
        try Data().write(to: path)
        let file = system.open(path.path, O_RDONLY)
        defer { system.close(file) }
        let names = system.names(file)
        let code = errno
        #expect(names == nil)
        #expect(code == ENOTDIR)
    }

    #if os(Linux)
        @Test func `the listing of a removed folder is empty, regardless of an earlier errno`() throws {
            let path = folder.url.appending(path: "removed")
            try FileManager.default.createDirectory(at: path, withIntermediateDirectories: false)
            let handle = system.open(path.path, O_RDONLY | O_DIRECTORY)
            defer { system.close(handle) }
            try FileManager.default.removeItem(at: path)
            errno = EIO
            let names = system.names(handle)
            #expect(names == [])
        }

        @Test func `listing a folder leaves no file open`() async throws {
            let limited = ["/bin/sh", "-c", "ulimit -n 64 && exec \"$@\"", "sh"]
            let worker = try Worker(limited + [Worker.program.path, "file", folder.url.path, "main"])
            for _ in 0..<100 { try #require(try await worker.send("names") == "names ") }
        }
    #endif
}
