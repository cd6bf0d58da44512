// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Stores the session in memory until the process exits.
public final class InMemoryStore: SessionStore {
    private let record = Locked<SessionRecord?>(nil)

    /// Creates an empty store.
    public init() {}

    /// A description of the storage location: memory.
    public var name: String { "memory" }

    var holdsRecord: Bool { record.withLock { $0 != nil } }

    /// Returns the stored record.
    public func read() throws(SessionStoreError) -> SessionRecord? {
        record.withLock { $0 }
    }

    /// Replaces the stored record if it still equals `expected`.
    public func replace(_ expected: SessionRecord?, with record: SessionRecord?) throws(SessionStoreError) -> Bool {
        self.record.withLock { current in
            guard current == expected else { return false }
            current = record
            return true
        }
    }

    /// Replaces the stored record unconditionally.
    public func overwrite(with record: SessionRecord?) throws(SessionStoreError) {
        self.record.withLock { $0 = record }
    }
}
