// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import SessionFixtures
import Testing

@testable import FreshetKit

@Suite struct `File lock` {
    @Test func `it is released although a child process has a copy of its descriptor`() throws {
        let folder = try Folder()
        let lock = ProcessLock(directory: folder.url, file: "lock")
        let held = try #require(try lock.attempt())
        // As `fork` copies it, until the child executes its program.
        let copy = dup(held.file)
        defer { close(copy) }
        #expect(try lock.attempt() == nil)
        held.release()
        let next = try #require(try lock.attempt())
        next.release()
    }

    @Test func `it is released with its last reference`() throws {
        let lock = ProcessLock(directory: try Folder().url.appending(path: "locks"), file: "lock")
        var held = try lock.attempt()
        #expect(held?.isHeld == true)
        #expect(try lock.attempt() == nil)
        held = nil
        #expect(try lock.attempt() != nil)
    }
}
