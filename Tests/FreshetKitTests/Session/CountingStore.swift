// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetKit

/// A store that counts how often it is read.
final class CountingStore: SessionStore {
    private let base: any SessionStore
    private let count = Locked(0)

    init(_ base: any SessionStore) { self.base = base }

    var name: String { base.name }
    var reads: Int { count.withLock { $0 } }

    func read() throws(SessionStoreError) -> SessionRecord? {
        count.withLock { $0 += 1 }
        return try base.read()
    }

    func replace(_ expected: SessionRecord?, with record: SessionRecord?) throws(SessionStoreError) -> Bool {
        try base.replace(expected, with: record)
    }

    func overwrite(with record: SessionRecord?) throws(SessionStoreError) { try base.overwrite(with: record) }
}
