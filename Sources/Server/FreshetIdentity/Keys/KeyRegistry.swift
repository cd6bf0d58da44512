// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
package import FreshetDatabase
package import FreshetEngine
import FreshetWire
package import Logging

/// Compares a server's keys with those recorded in its database.
///
/// A token under a missing MAC key would be refused permanently, and its user signed out. Therefore a server does not
/// start if one of the keys is missing on which its database's sessions depend. Differing signing or code keys end no
/// session: clients request new access tokens and codes, so a difference is logged as a warning.
package struct KeyRegistry: Sendable {
    let folder: KeyDirectory
    let database: any ServerDatabase

    private static let mac = KeyKind.mac.rawValue

    /// Verifies that the directory has every MAC key in use, before creating any.
    ///
    /// - Parameters:
    ///   - folder: The keys; receives the lowest numbers that are free.
    ///   - database: The database, with its tables up to date.
    ///   - allowsNewDatabase: Whether the operator allows using the directory's keys with another database from now on.
    ///   - log: Receives warnings and notices.
    /// - Throws: `StartupError` that tells the operator the remedy.
    package init(
        admitting folder: inout KeyDirectory,
        to database: any ServerDatabase,
        allowsNewDatabase: Bool,
        log: Logger
    ) throws {
        let marker = try folder.marker()
        let (identity, isEmpty, numbers, records, sessionKeys) = try database.readNow { database in
            var numbers: [String: UInt8] = [:]
            for kind in [Self.mac, KeyKind.signing.rawValue, "code"] {
                let ids = try KeyFingerprintTable.records(kind, in: database).map(\.id)
                // Numbers are never reused; otherwise a lost key's tokens would be attributed to another key.
                numbers[kind] = ids.max().map { $0 < .max ? $0 + 1 : $0 }
            }
            let records = try KeyFingerprintTable.records(Self.mac, in: database)
            return (
                try KeyFingerprintTable.identity(in: database), try KeyFingerprintTable.isEmpty(in: database), numbers,
                records, records.isEmpty ? try SessionTable.keysOfOpenSessions(in: database) : []
            )
        }
        let decision = DatabaseIdentityCheck(
            identity: identity,
            marker: marker,
            isEmpty: isEmpty,
            allowsNew: allowsNewDatabase
        )
        let wanted: Bits128
        switch decision {
        case .lost: throw IdentityStartupError.lostDatabase(folder.url.path)
        case .foreign: throw IdentityStartupError.foreignDatabase(folder.url.path)
        case .known(let known): wanted = known
        case .unnamed(let given):
            var generator = SystemRandomNumberGenerator()
            wanted = given ?? Bits128(generator.next(), generator.next())
        }
        if allowsNewDatabase, identity != nil, identity == marker {
            log.warning("--new-database is not needed any more: remove it, or a lost database goes unnoticed")
        }
        let own = try folder.secretFingerprints(of: Self.mac)
        // A record for another database does not describe the sessions of this one.
        let chain = identity != nil && identity == marker ? try folder.chains()[.mac] : nil
        let used = Set(own.keys)
        let inventory = KeyInventory(
            records,
            own: own,
            used: used,
            chain: chain,
            areSupplied: try folder.isExternal(.mac),
            sessionKeys: sessionKeys
        )
        try Self.require(inventory, folder)
        // Not before: an empty folder beside a refusal looks as if the keys had been there.
        try folder.createIfMissing()
        if identity == nil { try database.writeNow { try KeyFingerprintTable.setIdentity(wanted, in: $0) } }
        // Another server may have set it first.
        let named = try database.readNow { try KeyFingerprintTable.identity(in: $0) } ?? wanted
        if marker != named {
            do { try folder.setMarker(named) } catch {
                log.notice(
                    "the keys folder cannot be written, so that a lost database would go unnoticed",
                    error: error
                )
            }
        }
        if identity == nil, isEmpty, own.isEmpty {
            // If a volume is not mounted, this line is the first sign of it.
            log.notice("new keys and a new database are created", metadata: ["keys": "\(folder.url.path)"])
        }
        folder.firstNumbers = numbers
        self.folder = folder
        self.database = database
    }

    private static func require(_ inventory: KeyInventory, _ folder: KeyDirectory) throws {
        if !inventory.different.isEmpty {
            throw IdentityStartupError.differentKeys(folder.url.path, inventory.different)
        }
        if !inventory.missing.isEmpty { throw IdentityStartupError.missingKeys(folder.url.path, inventory.missing) }
    }

    /// Records the fingerprints of the MAC keys in use, before they are used.
    ///
    /// - Returns: The numbers of retired keys.
    /// - Throws: `IdentityStartupError.differentKeys` if another server has a different key of the same number,
    ///   `retiredKey` if the key in use was retired, or `SQLError`.
    func register(now: Timestamp) throws -> Set<UInt8> {
        let own = try folder.secretFingerprints(of: Self.mac)
        let known = try folder.chains()[.mac]
        let chain = try folder.chain(.mac, now: now)
        let used = Set(chain.members.filter { $0.id == chain.current || $0.supersededAt != nil }.map(\.id))
        let areSupplied = try folder.isExternal(.mac)
        func inventory(_ database: any SQLConnection) throws -> KeyInventory {
            let records = try KeyFingerprintTable.records(Self.mac, in: database)
            return KeyInventory(records, own: own, used: used, chain: known, areSupplied: areSupplied)
        }
        func require(_ found: KeyInventory) throws -> KeyInventory {
            guard found.different.isEmpty else {
                throw IdentityStartupError.differentKeys(folder.url.path, found.different)
            }
            guard !found.retired.contains(chain.current) else {
                throw IdentityStartupError.retiredKey(folder.url.path, chain.current)
            }
            return found
        }
        let found = try require(try database.readNow(inventory))
        guard !found.new.isEmpty || !found.retiredHere.isEmpty || !found.retiredBeforeRecords.isEmpty else {
            return found.retired
        }
        return try database.writeNow { database in
            let found = try require(try inventory(database))
            for id in found.new { try KeyFingerprintTable.set(Self.mac, id, own[id], in: database) }
            for id in found.retiredBeforeRecords {
                try KeyFingerprintTable.set(Self.mac, id, nil, retiredAt: now, in: database)
            }
            for id in found.retiredHere { try KeyFingerprintTable.retire(Self.mac, id, at: now, in: database) }
            return found.retired
        }
    }

    /// Warns of signing and code keys that differ from those of another server or an earlier start.
    package func compareOthers(now: Timestamp, log: Logger) throws {
        let current = try folder.chain(.signing, now: now).current
        let codes = try folder.secretFingerprints(of: "code")
        let used = [
            (KeyKind.signing.rawValue, current, try folder.signingKeysByID()[current].map { KeyFingerprint.of($0) }),
            ("code", codes.keys.max() ?? 1, codes.max { $0.key < $1.key }?.value),
        ]
        for (kind, id, fingerprint) in used {
            let known = try database.readNow { try KeyFingerprintTable.records(kind, in: $0) }.first { $0.id == id }
            guard let fingerprint, known?.fingerprint != fingerprint else { continue }
            if known != nil {
                log.warning(
                    "this server's key differs from the one recorded under its number; it rejects what servers with the other key sign",
                    metadata: ["key": "\(kind)-\(id)"]
                )
            }
            try database.writeNow { try KeyFingerprintTable.set(kind, id, fingerprint, in: $0) }
        }
    }
}
