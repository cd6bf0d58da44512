// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import FreshetKit

/// A store that fails when a test wants it to.
public final class UnreliableStore: SessionStore {
    private let base: any SessionStore
    private let faults = Locked<(read: SessionStoreError?, write: SessionStoreError?)>((nil, nil))

    /// Puts faults in front of `base`.
    public init(_ base: any SessionStore = InMemoryStore()) { self.base = base }

    /// What reading fails with from now on.
    public var readFault: SessionStoreError? {
        get { faults.withLock { $0.read } }
        set { faults.withLock { $0.read = newValue } }
    }

    /// What writing fails with from now on.
    public var writeFault: SessionStoreError? {
        get { faults.withLock { $0.write } }
        set { faults.withLock { $0.write = newValue } }
    }

    /// The base's name.
    public var name: String { base.name }

    /// What rests in the base, or the fault.
    public func read() throws(SessionStoreError) -> SessionRecord? {
        if let readFault { throw readFault }
        return try base.read()
    }

    /// Replaces what rests in the base, or fails.
    public func replace(_ expected: SessionRecord?, with record: SessionRecord?) throws(SessionStoreError) -> Bool {
        if let writeFault { throw writeFault }
        return try base.replace(expected, with: record)
    }

    /// Replaces what rests in the base, or fails.
    public func overwrite(with record: SessionRecord?) throws(SessionStoreError) {
        if let writeFault { throw writeFault }
        try base.overwrite(with: record)
    }
}
