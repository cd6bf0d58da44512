// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

/// An app that was downgraded finds what its newer version stored.
@Suite(.timeLimit(.minutes(5))) struct `Records of newer versions` {
    let bench = SessionFixture()
    let folder: Folder

    init() throws { folder = try Folder() }

    private var store: FileStore { FileStore(directory: folder.url, name: "session") }
    private var file: URL { folder.url.appending(path: "session.session") }

    private func write(_ text: String) throws {
        try Data(text.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }

    @Test func `a record with an additional unknown member keeps its user signed in`() async throws {
        try await bench.session(store: store).signIn(.test)
        let text = try String(contentsOf: file, encoding: .utf8)
        try write(text.replacing(#""session":{"#, with: #""session":{"later":{"deep":[1]},"#))
        let session = try bench.session(store: store)
        #expect(session.state == .active)
        try await session.refresh()
        #expect(try bench.session(store: store).state == .active)
    }

    @Test func `a record of a newer version is left unchanged until the user signs in again`() async throws {
        let text = #"{"version":2,"sealed":"x"}"#
        try write(text)
        let session = try bench.session(store: store)
        #expect(session.state == .unknown && session.status.storeFault?.kind == .newerVersion)
        let error = await failure { try await session.accessToken() }
        guard case .storeUnavailable(let fault)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(fault.kind == .newerVersion)
        await session.awaitConfirmation()
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
        try await session.signIn(.test)
        #expect(session.state == .active)
        #expect(try bench.session(store: store).state == .active)
    }
}
