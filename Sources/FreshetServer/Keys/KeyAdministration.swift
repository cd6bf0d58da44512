// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetEngine
import FreshetWire

/// What operators do with keys, while servers run.
package struct KeyAdministration: Sendable {
    private let folder: KeyFolder
    private let lead: Duration
    /// The longest that an access token lives, with something for clocks that differ.
    private let memory: Duration
    /// Asks for sessions that began before a moment and live.
    let hasSessions: @Sendable (_ before: Timestamp, _ now: Timestamp) throws -> Bool

    init(
        _ folder: KeyFolder,
        lead: Duration,
        memory: Duration,
        hasSessions: @escaping @Sendable (Timestamp, Timestamp) throws -> Bool
    ) {
        self.folder = folder
        self.lead = lead
        self.memory = memory
        self.hasSessions = hasSessions
    }

    /// The keys of a data folder, for the tool.
    package init(
        dataDirectory: URL,
        database: PostgresConfiguration? = nil,
        access: Duration,
        lead: Duration
    ) throws {
        let folder = try KeyFolder(in: dataDirectory)
        // What the server would make at its first start.
        if try !folder.isSupplied(.signing) { _ = try folder.signingKeysByID() }
        if try !folder.isSupplied(.mac) { _ = try folder.tokenKeyRing(now: Timestamp.system()) }
        self.init(folder, lead: lead, memory: access + .seconds(60)) { before, now in
            // As it is: a server may run on it.
            let desk: OperatorDesk
            do { desk = try OperatorDesk(in: dataDirectory, database: database) } catch StartupError.noDatabase {
                return false
            }
            defer { try? desk.close() }
            return try desk.hasSessions(before: before, at: now)
        }
    }

    /// Reads again what an operator gives, if that is due or asked for.
    ///
    /// - Returns: the names of shared secrets that are gone, or `nil` if nothing was read.
    func renew(now: Timestamp, interval: Duration) throws -> [String]? {
        guard let supply = folder.supply, supply.isDue(now: now, interval: interval) else { return nil }
        return try supply.renew(now: now)
    }

    /// Whether what an operator gives comes from a program, which takes its time.
    var isRenewable: Bool { folder.supply?.isRenewable ?? false }

    /// Writes down what an operator gave, unless that is done.
    func settle(now: Timestamp) throws {
        if folder.supply?.isNew ?? false { try folder.settle(now: now, lead: lead) }
    }

    package func chain(_ kind: KeyKind, now: Timestamp) throws -> KeyChain { try folder.chain(kind, now: now) }

    /// Announces a new key; it waits to be promoted.
    package func add(_ kind: KeyKind, now: Timestamp) throws -> UInt8 {
        try folder.change(kind, now: now) { try $0.add(now: now) }
    }

    /// Announces a new key, which takes over by itself.
    package func rotate(_ kind: KeyKind, now: Timestamp) throws -> KeyChain.Promotion? {
        try folder.change(kind, now: now) { chain in
            _ = try chain.rotate(now: now, lead: lead)
            return chain.promotion
        }
    }

    package func promote(_ kind: KeyKind, _ id: UInt8, now: Timestamp, isForced: Bool) throws {
        try folder.change(kind, now: now) { try $0.promote(id, now: now, lead: isForced ? .zero : lead) }
    }

    package func retire(_ kind: KeyKind, _ id: UInt8, now: Timestamp) throws {
        try folder.change(kind, now: now) { try $0.retire(id) { try isNeeded(kind, since: $0, now) } }
    }

    func rotateIfDue(_ kind: KeyKind, interval: Duration, now: Timestamp) throws -> UInt8? {
        if try folder.isSupplied(kind) { return nil }
        guard try folder.hasChain(kind) else {
            // From here on its age is known.
            try folder.change(kind, now: now) { _ in }
            return nil
        }
        guard try chain(kind, now: now).isDue(now: now, interval: interval) else { return nil }
        return try folder.change(kind, now: now) { chain in
            // Another server may have been first.
            chain.isDue(now: now, interval: interval) ? try chain.rotate(now: now, lead: lead) : nil
        }
    }

    /// Forgets the keys that nothing needs any more.
    func retireOutdated(now: Timestamp) throws {
        for kind in KeyKind.allCases where try !folder.isSupplied(kind) {
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
        case .signing: now - moment <= memory
        // Servers notice a change one after the other.
        case .mac: try hasSessions(moment + lead, now)
        }
    }
}
