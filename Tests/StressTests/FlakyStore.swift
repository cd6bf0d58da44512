// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetKit

/// A store that is locked or fails when the test says so, in front of one that several handles share.
final class FlakyStore: SessionStore {
    private struct Faults {
        var read: SessionStoreError?
        var write: SessionStoreError?
        var lastFailure: ContinuousClock.Instant?
    }

    let base: any SessionStore
    private let faults = Locked(Faults())

    init(_ base: any SessionStore) { self.base = base }

    var name: String { base.name }
    var processLock: ProcessLock? { base.processLock }

    func fail(read: SessionStoreError?, write: SessionStoreError?) {
        faults.withLock { ($0.read, $0.write) = (read, write) }
    }

    /// Whether what the app decided may not be in the store yet.
    var failedLately: Bool {
        faults.withLock { faults in
            faults.write != nil || faults.lastFailure.map { ContinuousClock.now - $0 < .seconds(3) } ?? false
        }
    }

    func read() throws(SessionStoreError) -> SessionRecord? {
        // A store that cannot be read cannot be written either.
        let fault = faults.withLock { faults -> SessionStoreError? in
            if faults.read != nil { faults.lastFailure = .now }
            return faults.read
        }
        if let fault { throw fault }
        return try base.read()
    }

    func replace(_ expected: SessionRecord?, with record: SessionRecord?) throws(SessionStoreError) -> Bool {
        try check()
        return try base.replace(expected, with: record)
    }

    func overwrite(with record: SessionRecord?) throws(SessionStoreError) {
        try check()
        try base.overwrite(with: record)
    }

    private func check() throws(SessionStoreError) {
        let fault = faults.withLock { faults -> SessionStoreError? in
            if faults.write != nil { faults.lastFailure = .now }
            return faults.write
        }
        if let fault { throw fault }
    }
}
