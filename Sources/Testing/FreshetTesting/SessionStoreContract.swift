// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
public import FreshetKit

/// The requirements on every `SessionStore`, as checks for its tests.
///
///     @Test func `my store keeps to the contract`() throws {
///         try SessionStoreContract.check { place in MyStore(service: place) }
///     }
///
/// A check takes one to five seconds of real time: threads and instances compete for one record for long enough to
/// expose a store that does not compare and replace atomically.
public enum SessionStoreContract {
    /// Checks a store against the whole contract.
    ///
    /// - Parameters:
    ///   - open: Opens a store at the location with this name, empty at first. The suite opens several instances on one
    ///     location; for a store that is limited to one instance, return the same instance for the same name.
    ///   - remains: Whether data of a location is still stored, checked without the store: whether its file exists.
    /// - Throws: ``Violation`` with the rule that was broken, or an error of `open`.
    public static func check(
        _ open: (_ place: String) throws -> any SessionStore,
        remains: ((_ place: String) throws -> Bool)? = nil
    ) throws {
        for part in [checkValues, checkName, checkComparison, checkOverwriting, checkInstances] {
            let place = "contract-\(UUID().uuidString.lowercased())"
            try part(place, open)
            try checkRemoval(place, open, remains)
        }
        for part in [checkReplacements, checkOverwrites, checkReads] {
            let place = "contract-\(UUID().uuidString.lowercased())"
            let stores = try (0..<4).map { _ in try open(place) }
            try part(stores)
            try keeping(.removal, "overwriting with nothing") { try stores[0].overwrite(with: nil) }
        }
    }

    private typealias Open = (_ place: String) throws -> any SessionStore

    /// Checks that a location has one name.
    private static func checkName(_ place: String, _ open: Open) throws {
        let (one, other) = (try open(place), try open(place))
        let names = [one.name, one.name, other.name]
        try expect(!names[0].isEmpty, .stableName, "the name is empty")
        try expect(Set(names).count == 1, .stableName, "the names are \(names)")
    }

    /// Checks that a record is read as it was written, and that an empty store reads as empty.
    private static func checkValues(_ place: String, _ open: Open) throws {
        let store = try open(place)
        try keeping(.emptyAtFirst, "reading an empty place") {
            try expect(try store.read() == nil, .emptyAtFirst, "a record was read")
            try expect(try store.replace(nil, with: nil), .sameRecord, "no record could not be replaced by no record")
            try expect(try store.read() == nil, .emptyAtFirst, "a record was read after nothing was stored")
        }
        var stored: SessionRecord?
        for (number, ended) in [(1, nil), (2, .userDisabled), (3, nil)] as [(Int, SignOutReason?)] {
            let record = try fullRecord(number, ended: ended)
            try keeping(.wholeRecords, "storing a record of \(try record.encoded().count) bytes") {
                try expect(try store.replace(stored, with: record), .wholeRecords, "a full record was not stored")
                for (instance, store) in [("the same", store), ("another", try open(place))] {
                    let found = try store.read()
                    try expect(try isSame(found, record), .wholeRecords, "\(instance) instance read another record")
                }
                try expect(try store.replace(record, with: record), .sameRecord, "a record could not replace itself")
                try expect(
                    try isSame(store.read(), record),
                    .sameRecord,
                    "a record that replaced itself has changed"
                )
            }
            stored = record
        }
        try keeping(.removal, "removing a record") {
            try expect(try store.replace(stored, with: nil), .removal, "the stored record was not removed")
        }
    }

    /// Checks that a replacement with an outdated expected record changes nothing.
    private static func checkComparison(_ place: String, _ open: Open) throws {
        let store = try open(place)
        let (first, second, third) = (try record(1), try record(2), try record(3))
        try keeping(.comparison, "replacing") {
            try expect(try !store.replace(first, with: second), .comparison, "an empty store replaced a record")
            try expect(try !store.replace(first, with: nil), .comparison, "an empty store removed a record")
            try expect(try store.replace(nil, with: first), .emptyAtFirst, "an empty store did not accept a record")
            try expect(try !store.replace(nil, with: second), .comparison, "a stored record was taken for no record")
            try expect(try !store.replace(nil, with: nil), .comparison, "a stored record was taken for no record")
            try expect(
                try !store.replace(second, with: third),
                .comparison,
                "a record other than the expected one was replaced"
            )
            try expect(try !store.replace(second, with: nil), .comparison, "another record was removed")
            try expect(try store.read() == first, .comparison, "a refused replacement changed the record")
            try expect(try store.replace(first, with: second), .sameRecord, "the expected record was not replaced")
            try expect(try store.read() == second, .comparison, "a replacement is not read")
        }
    }

    /// Checks that an overwrite replaces any stored record.
    private static func checkOverwriting(_ place: String, _ open: Open) throws {
        let store = try open(place)
        let (first, second) = (try record(1), try fullRecord(2))
        try keeping(.overwriting, "overwriting") {
            try store.overwrite(with: nil)
            try expect(try store.read() == nil, .overwriting, "an overwrite without a record stored one")
            try store.overwrite(with: first)
            try expect(try store.read() == first, .overwriting, "an empty store was not overwritten")
            try store.overwrite(with: second)
            try expect(try isSame(store.read(), second), .overwriting, "a record was not overwritten")
            try store.overwrite(with: first)
            try expect(try store.read() == first, .overwriting, "a long record was not overwritten by a short one")
        }
    }

    /// Checks that other instances read, compare and remove the record that one instance stored.
    private static func checkInstances(_ place: String, _ open: Open) throws {
        let (one, other) = (try open(place), try open(place))
        let (first, second) = (try record(1), try record(2))
        try keeping(.sharedPlace, "a second instance") {
            try expect(try other.read() == nil, .sharedPlace, "one of two instances found a record")
            try expect(try one.replace(nil, with: first), .emptyAtFirst, "an empty store did not accept a record")
            try expect(try other.read() == first, .sharedPlace, "another instance does not read what was stored")
            try expect(try !other.replace(nil, with: second), .sharedPlace, "another instance takes it for no record")
            try expect(try other.replace(first, with: second), .sharedPlace, "another instance cannot replace it")
            try expect(try one.read() == second, .sharedPlace, "the first instance does not read the replacement")
            try expect(
                try !one.replace(first, with: nil),
                .sharedPlace,
                "the first instance compares with an old record"
            )
            try other.overwrite(with: first)
            try expect(try one.read() == first, .sharedPlace, "the first instance does not read the overwrite")
        }
    }

    /// Removes the stored record, and checks that the location is empty and usable again.
    private static func checkRemoval(
        _ place: String,
        _ open: Open,
        _ remains: ((_ place: String) throws -> Bool)?
    ) throws {
        let store = try open(place)
        let next = try record(9)
        for isForced in [true, false] {
            try keeping(.removal, "removing a record") {
                if isForced {
                    try store.overwrite(with: nil)
                } else {
                    try expect(try store.replace(next, with: nil), .removal, "the stored record was not removed")
                }
                for store in [store, try open(place)] {
                    try expect(try store.read() == nil, .removal, "a removed record is read")
                    try expect(try store.replace(nil, with: nil), .removal, "a removed record is still compared with")
                    try expect(try !store.replace(next, with: nil), .removal, "a removed record can be removed again")
                }
                try expect(try remains?(place) != true, .removal, "data of the record is still stored")
            }
            guard isForced else { continue }
            try keeping(.removal, "storing a record after another was removed") {
                try expect(try store.replace(nil, with: next), .removal, "the empty store did not accept a record")
                try expect(try store.read() == next, .removal, "the next record is not read")
            }
        }
    }
}
