// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The MAC keys that a database's sessions need, compared with those that a server has.
package struct KeyInventory: Equatable, Sendable {
    /// The record of a key in the database.
    package struct Record: Equatable, Sendable {
        package var id: UInt8
        /// A one-way digest of the key; `nil` for one that was removed before digests were stored.
        package var fingerprint: [UInt8]?
        package var isRetired: Bool

        package init(id: UInt8, fingerprint: [UInt8]?, isRetired: Bool) {
            self.id = id
            self.fingerprint = fingerprint
            self.isRetired = isRetired
        }
    }

    /// Keys that sessions need and the server lacks.
    package private(set) var missing: [UInt8] = []
    /// Keys whose number belongs to another key on the server.
    package private(set) var different: [UInt8] = []
    /// Keys that are used here and not yet recorded in the database.
    package private(set) var new: [UInt8] = []
    /// Keys that are retired in the server's own record, but not yet in the database.
    package private(set) var retiredHere: [UInt8] = []
    /// Numbers that were retired before the database recorded fingerprints.
    package private(set) var retiredBeforeRecords: [UInt8] = []
    /// All numbers that were retired: a token of one of them is refused for good.
    package private(set) var retired: Set<UInt8> = []

    /// Compares.
    ///
    /// - Parameters:
    ///   - records: The key fingerprints stored in the database.
    ///   - own: The fingerprints of the keys that the server has.
    ///   - used: Those of them that make tokens, or made some: an announced key is not among them, and another server need
    ///     not have it yet.
    ///   - chain: The server's own record of the kind, if it is known to be about the same database.
    ///   - areSupplied: Whether an operator gives the server its keys: one that is given again is in use again.
    ///   - sessionKeys: The keys that live sessions name, for a database that has no records yet.
    package init(
        _ records: [Record],
        own: [UInt8: [UInt8]],
        used: Set<UInt8>,
        chain: KeySchedule?,
        areSupplied: Bool = false,
        sessionKeys: Set<UInt8> = []
    ) {
        for record in records.sorted(by: { $0.id < $1.id }) {
            if let key = own[record.id], let known = record.fingerprint, known != key {
                different.append(record.id)
            } else if record.isRetired, own[record.id] == nil || !(areSupplied || record.fingerprint == nil) {
                // Also if a restored copy of the folder has it again.
                retired.insert(record.id)
            } else if own[record.id] != nil {
                continue
            } else if let chain, chain.retiredIDs.contains(record.id) {
                retiredHere.append(record.id)
                retired.insert(record.id)
            } else {
                missing.append(record.id)
            }
        }
        // One that was only known to be gone, or is given again, is recorded as in use.
        let known = records.filter { !($0.isRetired && (areSupplied || $0.fingerprint == nil)) }.map(\.id)
        new = used.subtracting(known).sorted()
        // Numbers count up from 1: a number that is missing at the upgrade was retired before.
        if records.isEmpty {
            let newest = own.keys.max() ?? 0
            if newest > 1 { retiredBeforeRecords = (1..<newest).filter { own[$0] == nil } }
            retired.formUnion(retiredBeforeRecords)
            missing = sessionKeys.filter { $0 > newest }.sorted()
        }
    }

    /// Whether the server can use the database without ending sessions of legitimate clients.
    package var isComplete: Bool { missing.isEmpty && different.isEmpty }
}
