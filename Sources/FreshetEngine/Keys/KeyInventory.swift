// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The MAC keys that a database knows its sessions rest on, compared with those that a server has.
package struct KeyInventory: Equatable, Sendable {
    /// A key as the database remembers it.
    package struct Record: Equatable, Sendable {
        package var id: UInt8
        /// A one-way digest of the key; `nil` for one that was gone before digests were kept.
        package var fingerprint: [UInt8]?
        package var isRetired: Bool

        package init(id: UInt8, fingerprint: [UInt8]?, isRetired: Bool) {
            self.id = id
            self.fingerprint = fingerprint
            self.isRetired = isRetired
        }
    }

    /// Keys that sessions rest on and that the server does not have.
    package private(set) var missing: [UInt8] = []
    /// Keys that the server has another one of under the same number.
    package private(set) var different: [UInt8] = []
    /// Keys that are used here and that the database does not know yet.
    package private(set) var new: [UInt8] = []
    /// Keys that the server's own record says were retired, and the database does not know of that.
    package private(set) var retiredHere: [UInt8] = []
    /// Keys of before the database remembered any, of which nothing but the number is left.
    package private(set) var forgotten: [UInt8] = []
    /// All numbers that were retired: a token under one of them is refused for good.
    package private(set) var retired: Set<UInt8> = []

    /// Compares.
    ///
    /// - Parameters:
    ///   - records: What the database remembers.
    ///   - own: The fingerprints of the keys that the server has.
    ///   - used: Those of them that make tokens, or made some: an announced key is not among them, and another server need
    ///     not have it yet.
    ///   - chain: The server's own record of the kind, if it is known to be about the same database.
    package init(_ records: [Record], own: [UInt8: [UInt8]], used: Set<UInt8>, chain: KeyChain?) {
        for record in records.sorted(by: { $0.id < $1.id }) {
            if let key = own[record.id] {
                if let known = record.fingerprint, known != key { different.append(record.id) }
            } else if record.isRetired {
                retired.insert(record.id)
            } else if let chain, record.id <= chain.lastID, !chain.members.contains(where: { $0.id == record.id }) {
                retiredHere.append(record.id)
                retired.insert(record.id)
            } else {
                missing.append(record.id)
            }
        }
        // One that was only known to be gone, and is used all the same, is known from now on.
        let known = records.filter { !($0.isRetired && $0.fingerprint == nil) }.map(\.id)
        new = used.subtracting(known).sorted()
        // Numbers count up from 1: one that is not there at the upgrade was retired before.
        if records.isEmpty, let newest = own.keys.max(), newest > 1 {
            forgotten = (1..<newest).filter { own[$0] == nil }
            retired.formUnion(forgotten)
        }
    }

    /// Whether the server can use the database without ending sessions of legitimate clients.
    package var isComplete: Bool { missing.isEmpty && different.isEmpty }
}
