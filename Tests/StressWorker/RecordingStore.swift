// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit

/// A store that appends each record to standard output once it is stored.
///
/// A judge learns from it which tokens a process had stored before it was killed.
struct RecordingStore: SessionStore {
    let base: any SessionStore

    var name: String { base.name }
    var processLock: ProcessLock? { base.processLock }

    func read() throws(SessionStoreError) -> SessionRecord? { try base.read() }

    func replace(_ expected: SessionRecord?, with record: SessionRecord?) throws(SessionStoreError) -> Bool {
        guard try base.replace(expected, with: record) else { return false }
        append(record)
        return true
    }

    func overwrite(with record: SessionRecord?) throws(SessionStoreError) {
        try base.overwrite(with: record)
        append(record)
    }

    private func append(_ record: SessionRecord?) {
        guard let line = try? record?.encoded() else { return }
        // One write: lines of concurrent writers stay whole.
        try? FileHandle.standardOutput.write(contentsOf: line + Data("\n".utf8))
    }
}
