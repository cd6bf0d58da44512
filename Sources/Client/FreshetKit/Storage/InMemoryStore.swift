// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Keeps the session for as long as the process lives.
public final class InMemoryStore: SessionStore {
    private let record = Locked<SessionRecord?>(nil)

    /// An empty store.
    public init() {}

    /// Says that the session lies in memory.
    public var name: String { "memory" }

    var holdsRecord: Bool { record.withLock { $0 != nil } }

    /// Returns the stored record.
    public func read() throws(SessionStoreError) -> SessionRecord? {
        record.withLock { $0 }
    }

    /// Puts `record` in the place of `expected`, if that is still what rests here.
    public func replace(_ expected: SessionRecord?, with record: SessionRecord?) throws(SessionStoreError) -> Bool {
        self.record.withLock { current in
            guard current == expected else { return false }
            current = record
            return true
        }
    }

    /// Puts `record` in the place of whatever rests here.
    public func overwrite(with record: SessionRecord?) throws(SessionStoreError) {
        self.record.withLock { $0 = record }
    }
}
