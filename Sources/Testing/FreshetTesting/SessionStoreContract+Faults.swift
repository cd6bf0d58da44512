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
            "reading an empty store that cannot be read did not throw"
        )
        try fail(nil)
        try expect(try store.read() == nil, .faults, "an empty store has a record after it recovered")
        try expect(try store.replace(nil, with: first), .faults, "an empty store did not accept a record")
        try fail(.reads)
        try expect(isUnavailable(store), .faults, "reading a record that cannot be read did not throw")
        try expect(
            try claim { try store.replace(nil, with: second) } != true,
            .faults,
            "a record that cannot be read was replaced"
        )
        try expect(
            try claim { try store.replace(nil, with: nil) } != true,
            .faults,
            "a record that cannot be read was taken for no record"
        )
        try fail(nil)
        try expect(try store.read() == first, .faults, "the record was lost while it could not be read")
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
                case true?: try expect(found == new, .faults, "a change that was reported as made was not made")
                case false?: try expect(found == old, .faults, "a change that was reported as not made was made")
                case nil:
                    refusals += 1
                    try expect(
                        found == old || found == new,
                        .faults,
                        "after a failed write, neither the old nor the new record is read"
                    )
                }
                try store.overwrite(with: third)
                try expect(try store.read() == third, .faults, "a record stored after a failure is not read")
            }
        }
        try expect(refusals > 0, .faults, "no failed write was reported")
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
