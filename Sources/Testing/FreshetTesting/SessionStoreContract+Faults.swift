// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import FreshetKit

extension SessionStoreContract {
    /// The operations that a test makes fail.
    public enum Fault: Sendable, CaseIterable {
        /// Reads fail.
        case reads
        /// Writes fail, or their result is unknown.
        case writes
    }

    /// Checks a failing store: records are kept, and an unreadable store is never reported as empty.
    ///
    ///     try SessionStoreContract.checkFaults {
    ///         let disk = TestDisk()
    ///         return (MyStore(disk), { disk.fault = $0 })
    ///     }
    ///
    /// `makeStore` returns a new, empty store and a closure that makes it fail from then on, or work again with `nil`.
    public static func checkFaults(
        _ makeStore: () throws -> (store: any SessionStore, fail: (Fault?) throws -> Void)
    ) throws {
        let (store, fail) = try makeStore()
        try checkUnreadable(store, fail)
        try checkUnwritable(makeStore)
    }

    private static func checkUnreadable(_ store: any SessionStore, _ fail: (Fault?) throws -> Void) throws {
        let (first, second) = (try record(1), try record(2))
        try fail(.reads)
        try expect(
            isUnavailable(store),
            .faults,
            "an empty store that cannot be read does not say that nothing is there"
        )
        try fail(nil)
        try expect(try store.read() == nil, .faults, "a store recovers")
        try expect(try store.replace(nil, with: first), .faults, "a record can be put into an empty store")
        try fail(.reads)
        try expect(isUnavailable(store), .faults, "a record that cannot be read is not said to be missing")
        try expect(
            try claim { try store.replace(nil, with: second) } != true,
            .faults,
            "what cannot be read is not replaced"
        )
        try expect(
            try claim { try store.replace(nil, with: nil) } != true,
            .faults,
            "what cannot be read is not nothing"
        )
        try fail(nil)
        try expect(try store.read() == first, .faults, "a store that could not be read still has its record")
    }

    private static func checkUnwritable(
        _ makeStore: () throws -> (store: any SessionStore, fail: (Fault?) throws -> Void)
    ) throws {
        let (first, second, third) = (try record(1), try record(2), try record(3))
        var refusals = 0
        for (old, new) in [(nil, second), (first, second), (first, nil)] as [(SessionRecord?, SessionRecord?)] {
            for isForced in [false, true] {
                let (store, fail) = try makeStore()
                if let old { try store.overwrite(with: old) }
                try fail(.writes)
                let isDone = try claim {
                    if !isForced { return try store.replace(old, with: new) }
                    try store.overwrite(with: new)
                    return true
                }
                try fail(nil)
                let found = try store.read()
                switch isDone {
                case true?: try expect(found == new, .faults, "what is answered as done is done")
                case false?: try expect(found == old, .faults, "what is answered as not done is not done")
                case nil:
                    refusals += 1
                    try expect(
                        found == old || found == new,
                        .faults,
                        "after a failure the old record is there, or the new one"
                    )
                }
                try store.overwrite(with: third)
                try expect(try store.read() == third, .faults, "a store recovers")
            }
        }
        try expect(refusals > 0, .faults, "a write that fails is told")
    }

    private static func isUnavailable(_ store: any SessionStore) -> Bool {
        do throws(SessionStoreError) {
            _ = try store.read()
            return false
        } catch { return true }
    }

    /// Runs a change and returns the result that the store reports; `nil` if the store failed.
    private static func claim(_ deed: () throws -> Bool) throws -> Bool? {
        do { return try deed() } catch is SessionStoreError { return nil }
    }
}
