// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import FreshetWire
import SessionFixtures
import Testing

@testable import FreshetKit

@Suite(.timeLimit(.minutes(5))) struct `Store contract` {
    @Test func `an in-memory store passes the store contract`() throws {
        let stores = InMemoryStores()
        try SessionStoreContract.check { stores.store(named: $0) }
        let others = InMemoryStores()
        try SessionStoreContract.checkStores { others }
    }

    @Test func `a file store passes the store contract`() throws {
        let folder = try Folder()
        try SessionStoreContract.check {
            FileStore(directory: folder.url, name: $0)
        } remains: { place in
            FileManager.default.fileExists(atPath: folder.url.appending(path: "\(place).session").path)
        }
        try SessionStoreContract.checkStores { FileStores(directory: folder.url.appending(path: "several")) }
    }

    @Test func `an unreliable store without configured faults passes the store contract`() throws {
        let stores = InMemoryStores()
        try SessionStoreContract.check { UnreliableStore(stores.store(named: $0)) }
    }
}
