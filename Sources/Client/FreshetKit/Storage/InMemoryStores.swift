// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetWire

/// Stores several sessions in memory until the process exits.
public final class InMemoryStores: SessionStores {
    private let stores = Locked<[ExactText: InMemoryStore]>([:])

    /// Creates a collection without sessions.
    public init() {}

    /// A description of the storage location: memory.
    public var name: String { "memory" }

    /// Returns the names with a stored record.
    public func names() throws(SessionStoreError) -> [String] {
        let stores = stores.withLock { $0 }
        return stores.filter { $0.value.holdsRecord }.keys.map(\.text).sorted()
    }

    /// Returns the store of a name.
    public func store(named name: String) -> any SessionStore {
        stores.withLock { stores in
            let store = stores[ExactText(name)] ?? InMemoryStore()
            stores[ExactText(name)] = store
            return store
        }
    }
}
