// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetDatabase
package import FreshetEngine
import FreshetWire

/// What operators do with keys, while servers run.
package struct KeyAdministration: Sendable {
    private let folder: KeyDirectory
    private let activationDelay: Duration
    /// The longest that an access token lives, with something for clocks that differ.
    private let maximumTokenLifetime: Duration
    package let database: KeyDatabase

    package init(
        _ folder: KeyDirectory,
        activationDelay: Duration,
        maximumTokenLifetime: Duration,
        database: KeyDatabase
    ) {
        self.folder = folder
        self.activationDelay = activationDelay
        self.maximumTokenLifetime = maximumTokenLifetime
        self.database = database
    }

    /// The keys of a data folder, for the tool.
    package init(
        dataDirectory: URL,
        database: PostgresConfiguration? = nil,
        access: Duration,
        activationDelay: Duration
    ) throws {
        let folder = try KeyDirectory(in: dataDirectory)
        let database = KeyDatabase(in: dataDirectory, database)
        // What the server would make at its first start; not in the place of keys that are lost or not mounted.
        let isSupplied = try folder.isExternal(.mac)
        if try isSupplied || !folder.fileIDs(of: .mac).isEmpty || database.keysInUse(.mac).isEmpty {
            if try !folder.isExternal(.signing) { _ = try folder.signingKeysByID() }
            if !isSupplied { _ = try folder.tokenKeyRing(now: Timestamp.system()) }
        }
        self.init(
            folder,
            activationDelay: activationDelay,
            maximumTokenLifetime: access + .seconds(60),
            database: database
        )
    }

    /// Reads again what an operator gives, if that is due or asked for.
    ///
    /// - Returns: the names of shared secrets that are gone, or `nil` if nothing was read.
    package func renew(now: Timestamp, interval: Duration) throws -> [String]? {
        guard let externalKeys = folder.externalKeys, externalKeys.isDue(now: now, interval: interval) else {
            return nil
        }
        return try externalKeys.renew(now: now)
    }

    /// Writes down what an operator gave, unless that is done.
    package func recordExternalKeys(now: Timestamp) throws {
        if folder.externalKeys?.isNew ?? false {
            try folder.recordExternalKeys(now: now, activationDelay: activationDelay)
        }
    }

    package func chain(_ kind: KeyKind, now: Timestamp) throws -> KeySchedule { try folder.chain(kind, now: now) }

    /// The MAC keys that sessions rest on and that are not in the folder; none if an operator gives them elsewhere.
    package func missing() throws -> [UInt8] {
        if try folder.isExternal(.mac) { return [] }
        let here = try folder.fileIDs(of: .mac)
        return try database.keysInUse(.mac).filter { !here.contains($0) }
    }

    /// Announces a new key; it waits to be promoted.
    package func add(_ kind: KeyKind, now: Timestamp) throws -> UInt8 {
        try folder.change(kind, now: now) { try $0.add(now: now) }
    }

    /// Announces a new key, which takes over by itself.
    package func rotate(_ kind: KeyKind, now: Timestamp) throws -> KeySchedule.Promotion? {
        try folder.change(kind, now: now) { chain in
            _ = try chain.rotate(now: now, activationDelay: activationDelay)
            return chain.promotion
        }
    }

    package func promote(_ kind: KeyKind, _ id: UInt8, now: Timestamp, isForced: Bool) throws {
        try folder.change(kind, now: now) {
            try $0.promote(id, now: now, activationDelay: isForced ? .zero : activationDelay)
        }
    }

    /// Puts a key out of use for good.
    ///
    /// - Parameters:
    ///   - kind: The kind of key.
    ///   - id: Its number.
    ///   - now: The time.
    ///   - isForced: Although sessions rest on it, which end with that; also a key that is lost.
    /// - Throws: `KeySchedule.Refusal`, or what the folder and the database say.
    package func retire(_ kind: KeyKind, _ id: UInt8, now: Timestamp, isForced: Bool = false) throws {
        if try !folder.ids(of: kind).contains(id) {
            if isForced {
                guard try database.retire(kind, id, at: now) else { throw KeySchedule.Refusal.unknown }
                return try folder.forget(kind, id, now: now)
            }
            let isLost = try !folder.isExternal(kind) && database.keysInUse(kind).contains(id)
            if isLost { throw KeySchedule.Refusal.missing }
        }
        try folder.change(kind, now: now) { chain in
            try chain.retire(id) { moment in try !isForced && isNeeded(kind, since: moment, now) }
        }
        try database.retire(kind, id, at: now)
    }

    func rotateIfDue(_ kind: KeyKind, interval: Duration, now: Timestamp) throws -> UInt8? {
        if try folder.isExternal(kind) { return nil }
        guard try folder.hasChain(kind) else {
            // From here on its age is known.
            try folder.change(kind, now: now) { _ in }
            return nil
        }
        guard try chain(kind, now: now).isDue(now: now, interval: interval) else { return nil }
        return try folder.change(kind, now: now) { chain in
            // Another server may have been first.
            chain.isDue(now: now, interval: interval)
                ? try chain.rotate(now: now, activationDelay: activationDelay) : nil
        }
    }

    /// Forgets the keys that nothing needs any more.
    func retireOutdated(now: Timestamp) throws {
        for kind in KeyKind.allCases where try !folder.isExternal(kind) {
            for member in try chain(kind, now: now).members {
                guard let moment = member.supersededAt,
                    try !isNeeded(kind, since: Timestamp(milliseconds: moment), now)
                else { continue }
                try retire(kind, member.id, now: now)
            }
        }
    }

    /// Whether something that was made before a moment may still come back.
    ///
    /// A refresh token is made again from its session's row for as long as that lives, so only the end of every session
    /// that began before lets a MAC key go.
    private func isNeeded(_ kind: KeyKind, since moment: Timestamp, _ now: Timestamp) throws -> Bool {
        switch kind {
        case .signing: now - moment <= maximumTokenLifetime
        // Servers notice a change one after the other.
        case .mac: try database.hasLiveSession(before: moment + activationDelay, now: now)
        }
    }
}
