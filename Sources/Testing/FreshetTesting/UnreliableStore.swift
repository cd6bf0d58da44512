// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import FreshetKit

/// A store whose reads and writes fail on demand.
public final class UnreliableStore: SessionStore {
    private let base: any SessionStore
    private let faults = Locked<(read: SessionStoreError?, write: SessionStoreError?)>((nil, nil))

    /// Creates a store that injects faults in front of `base`.
    public init(_ base: any SessionStore = InMemoryStore()) { self.base = base }

    /// The error that reads throw from now on.
    public var readFault: SessionStoreError? {
        get { faults.withLock { $0.read } }
        set { faults.withLock { $0.read = newValue } }
    }

    /// The error that writes throw from now on.
    public var writeFault: SessionStoreError? {
        get { faults.withLock { $0.write } }
        set { faults.withLock { $0.write = newValue } }
    }

    /// The name of the underlying store.
    public var name: String { base.name }

    /// Reads the underlying store, or throws ``readFault``.
    public func read() throws(SessionStoreError) -> SessionRecord? {
        if let readFault { throw readFault }
        return try base.read()
    }

    /// Replaces the record in the underlying store, or throws ``writeFault``.
    public func replace(_ expected: SessionRecord?, with record: SessionRecord?) throws(SessionStoreError) -> Bool {
        if let writeFault { throw writeFault }
        return try base.replace(expected, with: record)
    }

    /// Overwrites the record in the underlying store, or throws ``writeFault``.
    public func overwrite(with record: SessionRecord?) throws(SessionStoreError) {
        if let writeFault { throw writeFault }
        try base.overwrite(with: record)
    }
}
