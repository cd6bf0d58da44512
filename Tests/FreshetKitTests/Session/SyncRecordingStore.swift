// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

@testable import FreshetKit

/// A store that records which generations were made durable after a read.
final class SyncRecordingStore: SyncableStore {
    private let base: any SessionStore
    private let synced = Locked<Set<UInt64>>([])

    init(_ base: any SessionStore) { self.base = base }

    var name: String { base.name }
    var generations: Set<UInt64> { synced.withLock { $0 } }

    func read() throws(SessionStoreError) -> SessionRecord? { try base.read() }

    func replace(_ expected: SessionRecord?, with record: SessionRecord?) throws(SessionStoreError) -> Bool {
        try base.replace(expected, with: record)
    }

    func overwrite(with record: SessionRecord?) throws(SessionStoreError) { try base.overwrite(with: record) }

    func sync(_ record: SessionRecord) {
        guard let generation = record.session?.generation else { return }
        synced.withLock { _ = $0.insert(generation) }
    }
}
