// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The MAC keys that a database's sessions need, compared with those that a server has.
package struct KeyInventory: Equatable, Sendable {
    /// The record of a key in the database.
    package struct Record: Equatable, Sendable {
        package var id: UInt8
        /// A one-way digest of the key; `nil` for a key that was removed before digests were stored.
        package var fingerprint: [UInt8]?
        package var isRetired: Bool

        package init(id: UInt8, fingerprint: [UInt8]?, isRetired: Bool) {
            self.id = id
            self.fingerprint = fingerprint
            self.isRetired = isRetired
        }
    }

    /// The keys that sessions need and the server lacks.
    package private(set) var missing: [UInt8] = []
    /// The numbers with which the server has a different key.
    package private(set) var different: [UInt8] = []
    /// The keys that this server uses and that are not recorded in the database yet.
    package private(set) var new: [UInt8] = []
    /// The keys that are retired in the server's own record, but not yet in the database.
    package private(set) var retiredHere: [UInt8] = []
    /// The numbers that were retired before the database recorded fingerprints.
    package private(set) var retiredBeforeRecords: [UInt8] = []
    /// The numbers of all retired keys; tokens made with them are refused permanently.
    package private(set) var retired: Set<UInt8> = []

    /// Compares the recorded keys with the server's.
    ///
    /// - Parameters:
    ///   - records: The key fingerprints stored in the database.
    ///   - own: The fingerprints of the keys that the server has.
    ///   - used: The keys that make tokens or have made some. Announced keys are excluded, because another server may
    ///     not have them yet.
    ///   - chain: The server's own schedule of the kind, if it is known to belong to the same database.
    ///   - areSupplied: Whether an operator supplies the keys; a retired key that is supplied again is in use again.
    ///   - sessionKeys: The keys of active sessions, for a database that has no records yet.
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
                // A retired key stays retired, even if a restored copy of the folder contains it again.
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
        // A used key that is recorded as retired is recorded as in use again if the record has no fingerprint, or if an
        // operator supplies the keys.
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
