// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetDatabase
package import FreshetEngine
import FreshetWire

/// The operations of an operator on keys, while servers run.
package struct KeyAdministration: Sendable {
    private let folder: KeyDirectory
    private let activationDelay: Duration
    /// The maximum lifetime of an access token, including a tolerance for differing clocks.
    private let maximumTokenLifetime: Duration
    let database: KeyDatabase

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

    /// Opens the keys of a data folder, for the command-line tool.
    package init(
        dataDirectory: URL,
        database: PostgresConfiguration? = nil,
        access: Duration,
        activationDelay: Duration
    ) throws {
        self.init(
            // A misspelt or unmounted folder must not get keys: a server creates them at its first start.
            try KeyDirectory(in: dataDirectory, createsKeys: false),
            activationDelay: activationDelay,
            maximumTokenLifetime: access + .seconds(60),
            database: KeyDatabase(in: dataDirectory, database)
        )
    }

    /// Reads the external keys again, if that is due.
    ///
    /// - Returns: The names of removed shared secrets, or `nil` if nothing was read.
    func renew(now: Timestamp, interval: Duration) throws -> [String]? {
        guard let externalKeys = folder.externalKeys, externalKeys.isDue(now: now, interval: interval) else {
            return nil
        }
        return try externalKeys.renew(now: now)
    }

    /// Records the external keys, unless they are recorded.
    func recordExternalKeys(now: Timestamp) throws {
        if folder.externalKeys?.isNew ?? false {
            try folder.recordExternalKeys(now: now, activationDelay: activationDelay)
        }
    }

    package func chain(_ kind: KeyKind, now: Timestamp) throws -> KeySchedule { try folder.chain(kind, now: now) }

    /// Returns the time at which the file of a key was written, if the schedule does not have the time of its state.
    ///
    /// A schedule is recorded by the first change, which may come long after the first key.
    ///
    /// - Returns: `nil` if the schedule has the time.
    package func unrecordedTime(of kind: KeyKind, _ id: UInt8, in chain: KeySchedule) throws -> Timestamp? {
        let file = folder.fileTime(of: kind, id)
        guard try folder.hasChain(kind) else { return file }
        // A key that comes into use later than it was added was promoted, which is recorded.
        let isFirst = chain.current == id && chain.members.contains { $0.id == id && $0.addedAt == chain.currentSince }
        return isFirst ? file.map { min($0, Timestamp(milliseconds: chain.currentSince)) } : nil
    }

    /// Returns the MAC keys on which sessions depend and that are missing; empty if keys are external.
    package func missing() throws -> [UInt8] {
        if try folder.isExternal(.mac) { return [] }
        let here = try folder.fileIDs(of: .mac)
        return try database.keysInUse(.mac).filter { !here.contains($0) }
    }

    /// Adds a key, which is published and waits to be promoted.
    package func add(_ kind: KeyKind, now: Timestamp) throws -> UInt8 {
        try folder.change(kind, now: now) { try $0.add(now: now) }
    }

    /// Adds a key, which is promoted automatically after the activation delay.
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

    /// Retires a key permanently.
    ///
    /// - Parameters:
    ///   - kind: The kind of key.
    ///   - id: The number of the key.
    ///   - now: The current time.
    ///   - isForced: Retires the key although sessions depend on it, which ends them; also retires a lost key.
    /// - Throws: `KeySchedule.Refusal`, or the errors of the directory and the database.
    package func retire(_ kind: KeyKind, _ id: UInt8, now: Timestamp, isForced: Bool = false) throws {
        if try !folder.ids(of: kind).contains(id) {
            let isRecorded = try folder.chains()[kind]?.members.contains { $0.id == id } ?? false
            if isForced {
                guard try database.retire(kind, id, at: now) || isRecorded else { throw KeySchedule.Refusal.unknown }
                return try folder.forget(kind, id, now: now)
            }
            let isLost = try isRecorded || database.keysInUse(kind).contains(id)
            if try isLost && !folder.isExternal(kind) { throw KeySchedule.Refusal.missing }
        }
        try folder.change(kind, now: now) { chain in
            try chain.retire(id) { moment in try !isForced && isNeeded(kind, since: moment, now) }
        }
        try database.retire(kind, id, at: now)
    }

    func rotateIfDue(_ kind: KeyKind, interval: Duration, now: Timestamp) throws -> UInt8? {
        if try folder.isExternal(kind) { return nil }
        guard try folder.hasChain(kind) else {
            // Records the key's age from now on.
            try folder.change(kind, now: now) { _ in }
            return nil
        }
        guard try chain(kind, now: now).isDue(now: now, interval: interval) else { return nil }
        return try folder.change(kind, now: now) { chain in
            // Another server may have rotated it first.
            chain.isDue(now: now, interval: interval)
                ? try chain.rotate(now: now, activationDelay: activationDelay) : nil
        }
    }

    /// Retires the superseded keys that are no longer needed.
    func retireOutdated(now: Timestamp) throws {
        for kind in KeyKind.allCases where try !folder.isExternal(kind) {
            for member in try chain(kind, now: now).members {
                // A stored session is found sooner than the absence of a live one, and this runs at each reload.
                guard let moment = member.supersededAt.map({ Timestamp(milliseconds: $0) }),
                    try !identifiesStoredSessions(kind, since: moment), try !isNeeded(kind, since: moment, now)
                else { continue }
                try retire(kind, member.id, now: now)
            }
        }
    }

    /// Whether sessions are stored, live or ended, whose tokens may be made with a superseded key.
    ///
    /// The device of an ended session is told the reason. Without the key, that of a user whose token was stolen would be
    /// told only that the server ended the session.
    private func identifiesStoredSessions(_ kind: KeyKind, since moment: Timestamp) throws -> Bool {
        try kind == .mac && database.hasSession(before: moment + activationDelay)
    }

    /// Whether tokens made with a superseded key may still be presented.
    ///
    /// Refresh tokens are derived from the session's row, so a MAC key is needed until all sessions that were opened
    /// before it was superseded have ended. Servers reload the directory at different times and use the key until then,
    /// so it is needed for the activation delay even if no session is open (`Models/keys.pml`, `A_RETIREEARLY`).
    private func isNeeded(_ kind: KeyKind, since moment: Timestamp, _ now: Timestamp) throws -> Bool {
        switch kind {
        case .signing: now - moment <= maximumTokenLifetime
        case .mac:
            try now - moment < activationDelay || database.hasLiveSession(before: moment + activationDelay, now: now)
        }
    }
}
