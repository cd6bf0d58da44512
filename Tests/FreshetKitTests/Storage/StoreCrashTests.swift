// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

@Suite(.timeLimit(.minutes(5))) struct `Killed writers` {
    @Test func `a killed writer of a file store leaves the last acknowledged record, or the next`() async throws {
        let folder = try Folder()
        let path = folder.url.path
        try await SessionStoreContract.checkCrashes(of: FileStore(directory: folder.url, name: "main")) {
            try Worker.process(["file", path, "main"], told: "write")
        }
        #expect(folder.names.filter { $0.hasPrefix(".") }.count <= 1, "nothing piles up")
    }

    @Test func `the crash check detects a store that loses acknowledged records`() async throws {
        let folder = try Folder()
        let path = folder.url.path
        await #expect(throws: SessionStoreContract.Violation.self) {
            // It reads another file than the writers write.
            try await SessionStoreContract.checkCrashes(of: FileStore(directory: folder.url, name: "other")) {
                try Worker.process(["file", path, "main"], told: "write")
            }
        }
    }

    @Test func `the crash check fails if a writer exits before it is killed`() async throws {
        let folder = try Folder()
        await #expect(throws: SessionStoreContract.Violation.self) {
            try await SessionStoreContract.checkCrashes(of: FileStore(directory: folder.url, name: "main")) {
                try Worker.process(["/bin/echo", "1"])
            }
        }
    }
}
