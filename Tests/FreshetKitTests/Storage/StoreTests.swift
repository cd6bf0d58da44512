// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import FreshetWire
import Testing

@testable import FreshetKit

@Suite(.timeLimit(.minutes(5))) struct `Store contract` {
    @Test func `memory keeps to it`() throws {
        try SessionStoreContract.check { InMemoryStore() }
    }

    @Test func `a file keeps to it`() throws {
        let folder = try Folder()
        try SessionStoreContract.check { FileStore(directory: folder.url, name: UUID().uuidString) }
    }

    @Test func `an unreliable store keeps to it while it is not told otherwise`() throws {
        try SessionStoreContract.check { UnreliableStore() }
    }

    @Test func `a store that forgets to compare is found out`() {
        #expect(throws: SessionStoreContract.Violation.self) {
            try SessionStoreContract.check { CarelessStore() }
        }
    }

    /// Replaces whatever is there.
    private struct CarelessStore: SessionStore {
        let base = InMemoryStore()
        var name: String { "careless" }
        func read() throws(StoreUnavailable) -> SessionRecord? { try base.read() }
        func replace(_ expected: SessionRecord?, with record: SessionRecord?) throws(StoreUnavailable) -> Bool {
            try base.overwrite(with: record)
            return true
        }
        func overwrite(with record: SessionRecord?) throws(StoreUnavailable) { try base.overwrite(with: record) }
    }
}

/// A folder of its own, that goes with the test.
final class Folder {
    let url: URL

    init(in parent: URL = .temporaryDirectory) throws {
        url = parent.appending(path: "freshet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
    }

    func mode(_ name: String) throws -> Int {
        let facts = try FileManager.default.attributesOfItem(atPath: url.appending(path: name).path)
        return try #require(facts[.posixPermissions] as? Int)
    }

    func setMode(_ mode: Int, _ name: String = "") throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.appending(path: name).path)
    }
}
