// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Keeps several sessions for as long as the process lives.
public final class InMemoryStores: SessionStores {
    private let stores = Locked<[String: InMemoryStore]>([:])

    /// No sessions.
    public init() {}

    /// Says that the sessions lie in memory.
    public var name: String { "memory" }

    /// The names under which a record rests.
    public func names() throws(SessionStoreError) -> [String] {
        let stores = stores.withLock { $0 }
        return stores.filter { $0.value.holdsRecord }.keys.sorted()
    }

    /// The store under a name.
    public func store(named name: String) -> any SessionStore {
        stores.withLock { stores in
            let store = stores[name] ?? InMemoryStore()
            stores[name] = store
            return store
        }
    }
}
