// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
public import FreshetKit

extension SessionStoreContract {
    /// Checks a location that stores several sessions against the whole contract, and checks its names.
    ///
    ///     try SessionStoreContract.checkStores { MyStores(folder: folder) }
    ///
    /// - Parameter open: Opens the same location, empty at first, each time.
    /// - Throws: ``Violation`` with the rule that was broken, or an error of `open`.
    public static func checkStores(_ open: () throws -> any SessionStores) throws {
        try check { place in try open().store(named: place) }
        try checkNames(open)
    }

    private static func checkNames(_ open: () throws -> any SessionStores) throws {
        let stores = try open()
        // File systems may ignore case and Unicode normalization, and a name may look like a path or a hidden file.
        let names = [
            "abc", "aBc", "ABC", "a.b", ".hidden", "../up", "a/b", "žofie", "ŽOFIE", "日本語", "%41bc", "a b",
            "main.session", "\u{E9}", "e\u{301}",
        ]
        try keeping(.names, "storing records under several names") {
            try expect(try stores.names().isEmpty, .names, "an empty location has names")
            for (number, name) in names.enumerated() {
                let isStored = try stores.store(named: name).replace(nil, with: record(number))
                try expect(isStored, .names, "\"\(name)\" is mistaken for another name")
            }
            for (number, name) in names.enumerated() {
                let found = try open().store(named: name).read().map(Self.number)
                try expect(found == number, .names, "\"\(name)\" holds another name's record")
            }
            let found = try open().names()
            let isComplete = Set(found.map { Array($0.utf8) }) == Set(names.map { Array($0.utf8) })
            try expect(isComplete && found == names.sorted(), .names, "the names are \(found)")
            for name in names.dropFirst() { try stores.store(named: name).overwrite(with: nil) }
            try expect(try open().names() == ["abc"], .names, "a removed record has a name")
            try expect(try stores.store(named: "abc").replace(record(0), with: nil), .names, "a record was removed")
            try expect(try stores.names().isEmpty, .names, "a removed record has a name")
        }
    }
}
